"""Checks of a whole story; `linter.lint_story` runs them all.

Mistakes in single lines are found by the parser.
"""
