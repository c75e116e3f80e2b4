"""One playing of one scenario: it hears, plays, keeps and presents.

The only room that joins the turn to the store.
"""
