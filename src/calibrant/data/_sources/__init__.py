"""Tables that may be larger than memory, read part by part: files, folders, lazy frames, datasets, Dask collections."""
