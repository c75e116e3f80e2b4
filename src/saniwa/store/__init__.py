"""What must last: runs and their turns, durable before they are acknowledged.

One module per backend; all pass the same contract suite. Knows nothing of how a run is
conducted.
"""
