"""Methods that ``calibrant fit`` makes by name."""
