"""Tables read in chunks by the columns of a fitted model: a file larger than memory, in bounded memory."""

__all__: list[str] = []
