"""The app's actions for assistants over the Model Context Protocol (MCP), served by `python app.py --mcp`."""
