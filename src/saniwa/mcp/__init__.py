"""The Model Context Protocol: one door, with the gate's tools and the world's.

Who comes in here has the role the server was started with: no tool takes a role, and no
tool names a state. The official SDK speaks the protocol; it is an extra, and only
`server`, `stdio` and `http` import it.
"""
