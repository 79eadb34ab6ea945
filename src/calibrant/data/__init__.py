"""Tables in: reading files, taking frames, naming data sets, coding columns into small integers."""

from calibrant.data._table import Table

__all__ = ["Table"]
