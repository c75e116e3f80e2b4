"""Models of remote providers, reached through one library.

They are Anthropic, Google, Ollama, OpenAI and every OpenAI-compatible server.
"""
