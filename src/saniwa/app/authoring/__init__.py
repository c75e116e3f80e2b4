"""Writing stories and scenarios: checking drafts, and saving files safely.

Only the project's own files change; what is shipped with Saniwa is read-only.
"""
