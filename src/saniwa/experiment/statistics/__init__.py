"""Estimates, intervals, permutation tests and corrections; needs the extra `report`."""
