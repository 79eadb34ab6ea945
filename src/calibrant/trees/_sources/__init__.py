"""Fits to sources: rows in parts, on this machine or on a Dask cluster, and trees grown level by level from them."""
