"""Columns of numbers made of dates and of free text."""
