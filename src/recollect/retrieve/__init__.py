"""Reading: from a question to the few memories that answer it, each able to say why."""
