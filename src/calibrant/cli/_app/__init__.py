"""The parts that commands have in common: options, files, printing, errors and exit codes."""

__all__: list[str] = []
