"""Studies: data sets x methods x splits, recorded trial by trial in a store that can be queried."""

__all__: list[str] = []
