"""Discretization of numeric columns by class entropy and minimum description length."""
