"""What commands have in common: options, reading, writing, printing, errors and exit codes."""

__all__: list[str] = []
