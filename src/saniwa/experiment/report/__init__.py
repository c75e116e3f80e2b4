"""Reports on an experiment for people to read, in Markdown and HTML."""
