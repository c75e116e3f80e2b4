"""What is told of experiments on a terminal: while they run, and when they are done."""
