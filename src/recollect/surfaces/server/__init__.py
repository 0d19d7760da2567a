"""The server for a team on a line: HTTP with a description, MCP, health and figures."""
