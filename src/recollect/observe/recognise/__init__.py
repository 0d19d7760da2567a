"""Reading what happened: what a command line is, how it came out, which error it was, whether a person objected."""
