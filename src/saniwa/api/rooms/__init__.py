"""What can be asked, room by room."""
