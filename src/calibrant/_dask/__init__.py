"""One adapter to Dask clusters, for fits and for studies: connections, tasks, and collections told by their type."""
