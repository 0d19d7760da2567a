"""
The loop: an agent with a memory that can be run, resumed and embedded piece by piece.

`recollect.agent.loop.Loop` is the loop; clients, tools, verification and the journal are modules of their own.
"""
