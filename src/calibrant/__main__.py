"""``python -m calibrant`` is the command line, as ``calibrant`` is."""

from __future__ import annotations

import sys

from calibrant.cli import main

if __name__ == "__main__":
    sys.exit(main())
