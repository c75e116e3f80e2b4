"""Signing in and out: credentials, session tokens, and who the caller is."""
