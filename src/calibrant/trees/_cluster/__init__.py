"""Fits on a Dask cluster whose workers hold the codes of all rows: codes travel, rows do not."""

__all__: list[str] = []
