"""Playing a cell: who speaks, what they are told, what is tried again, what is kept."""
