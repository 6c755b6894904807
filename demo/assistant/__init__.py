"""The app's actions for assistants, by the Model Context Protocol (MCP), served by `python app.py --mcp`."""
