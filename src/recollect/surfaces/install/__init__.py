"""How recollect comes into the settings of coding agents, and out of them again: plan, write, take back."""
