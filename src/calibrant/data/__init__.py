"""Tables in: reading files, taking frames, naming data sets, coding columns into small integers."""

from calibrant.data._coding import CodedTable
from calibrant.data._read import read_table
from calibrant.data._sets.load import list_datasets, load
from calibrant.data._table import Table

__all__ = ["CodedTable", "Table", "list_datasets", "load", "read_table"]
