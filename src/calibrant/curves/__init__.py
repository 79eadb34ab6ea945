"""Curves of predictions: computed here once, drawn by `calibrant.plots`, readable without it."""
