"""A tree as text, in the DOT language, and as HTML."""
