"""The page that people see: built from `web/`, served from here.

It talks to nothing but the API; what it shows comes as StepResults and other answers.
"""
