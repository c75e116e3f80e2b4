"""Executors play the cells of a plan: in this process, or on a Dask cluster."""
