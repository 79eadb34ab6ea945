"""Figures as interactive charts: palette, thinning of curves, and Vega-Lite specifications by Altair."""

__all__: list[str] = []
