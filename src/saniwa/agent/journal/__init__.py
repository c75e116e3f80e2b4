"""What an agent writes down as it goes, who hears of it, and how it is read again."""
