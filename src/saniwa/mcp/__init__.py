"""The Model Context Protocol server, with the tools of a gate and of a world.

A client has the role that the server was started with: no tool takes a role, and no
tool names a state. The official SDK implements the protocol; it is an extra, and only
`server`, `stdio` and `http` import it.
"""
