"""Who may come to a gate as a person, and the marks they put under decisions."""
