"""People and agents round one run: seats, whose turn it is, and what each believes."""
