"""Bins of numeric columns by weighted quantiles, the same for any partition of the rows, and tables coded by them."""
