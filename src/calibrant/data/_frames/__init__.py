"""Frames and arrays as columns of numbers and category codes, and the schema that later rows must match."""
