"""What an editor asks while somebody writes; no protocol in it."""
