"""Learns from what agents do: events in, scratchpad notes and validated memories out."""
