"""JSON lines on standard input and output: one request and one answer on each line."""
