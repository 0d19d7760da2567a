"""What a memory is: frozen values and pure arithmetic. Nothing here reads a clock, a file or a database."""
