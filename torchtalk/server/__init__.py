"""The MCP server: a thin shell over the same tools as the command line."""
