"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.files._table_writer import open_writer

__all__ = ["open_writer"]
