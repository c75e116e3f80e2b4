"""Ours and peers, side by side: ratios measured in one run, never timed tests."""
