"""The table made from a file or a frame: features, class and weights, and its text and HTML views."""
