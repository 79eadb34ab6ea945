"""Ensembles of trees that are grown level by level from parts of the rows."""
