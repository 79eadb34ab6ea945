"""Amounts observed for some rows only: Heckman's correction."""

__all__: list[str] = []
