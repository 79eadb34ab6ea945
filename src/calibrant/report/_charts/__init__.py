"""Figures as interactive charts: palette, thinning of curves, and Vega-Lite specifications by Altair."""

from calibrant.report._charts.payload import figure_payload

__all__ = ["figure_payload"]
