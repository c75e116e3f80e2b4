"""The application: services that connect the domain packages with files and models.

`workspace` is the composition root. Interfaces (command line, HTTP, MCP, JSON lines)
call these services; no service depends on an interface.
"""
