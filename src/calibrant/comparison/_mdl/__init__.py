"""Theories compared by description length."""

__all__: list[str] = []
