"""What the steps of a session show: one file per signal, each a pure function of steps."""
