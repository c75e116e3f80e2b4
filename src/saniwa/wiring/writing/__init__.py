"""What authors do from afar: read, check and keep the files of stories and scenarios."""
