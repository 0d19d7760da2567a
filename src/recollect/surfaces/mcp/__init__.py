"""The MCP server: JSON-RPC over standard input and output, light enough to answer before a model has loaded."""
