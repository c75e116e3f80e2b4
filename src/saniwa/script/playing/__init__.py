"""From a program to what a host is shown, step by step."""
