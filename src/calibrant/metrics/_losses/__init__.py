"""Metrics that are means of row losses: squared, logarithmic, spherical, and scores relative to a prior."""
