"""The parts that commands have in common: options, files, printing, errors and exit codes."""
