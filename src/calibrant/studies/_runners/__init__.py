"""The places where trials run: in this process, in local processes, on a Dask cluster."""
