"""The zip file: its layout byte by byte, written atomically, and read without believing it."""

__all__: list[str] = []
