"""The server for a team on a line: HTTP with a description, MCP, the dashboard behind a sign-in, health and figures."""
