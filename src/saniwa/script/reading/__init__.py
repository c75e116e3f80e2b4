"""From the text of a file to the elements its author wrote."""
