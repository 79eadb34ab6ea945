"""What the reproductions of all papers share: published figures, tables, findings, running and writing."""

__all__: list[str] = []
