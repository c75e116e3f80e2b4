"""Opening a gate: its folders, its people, its log, and its outgoing messages."""
