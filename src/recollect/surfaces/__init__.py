"""
What people and agents touch: the command line, the MCP server, installing into coding agents. Parse the input, call
the API once, render the answer.
"""
