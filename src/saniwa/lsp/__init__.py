"""The language server for stories: completion, findings, renaming and formatting."""
