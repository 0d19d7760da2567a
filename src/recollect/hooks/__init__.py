"""The hooks of coding agents: one process an event, `python -m recollect.hooks CLIENT EVENT`."""
