"""Recording: all that a recording hook may load. Standard library and pure values only; a contract keeps it so."""
