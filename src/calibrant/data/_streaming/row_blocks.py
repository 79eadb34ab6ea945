"""The bytes of a CSV file in blocks of whole rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["RowBlocks"]

# A row longer than this is a quote that is not closed, which then is a character as in `split_rows`.
_LONGEST_ROW = 2**26


class RowBlocks:
    r"""Blocks that end with a line: those of ``first`` and of what ``read`` returns until it returns nothing.

    Examples
    --------
    >>> parts = iter([b'2\n3,"c\n', b'd"\n4', b""])
    >>> blocks = RowBlocks(b"1,a\n", lambda: next(parts), ",")
    >>> [blocks.end_at_row() if b'"' in block else block for block in blocks]
    [b'1,a\n', b'2\n', b'3,"c\nd"\n', b'4']
    """

    def __init__(self, first: bytes, read: Callable[[], bytes], separator: str) -> None:
        self._pending, self._read, self._is_complete = first, read, False
        self._block = b""
        self._closed = re.compile(rb'"[^"]*+(?:""[^"]*+)*"')
        self._rest = re.compile(rb"[^\n" + re.escape(separator.encode()) + rb"]*+")

    def __iter__(self) -> Iterator[bytes]:
        while not self._is_complete or self._pending:
            end = self._pending.rfind(b"\n") + 1 or self._pending.rfind(b"\r") + 1
            if not end and not self._is_complete:
                self._read_more()
                continue
            end = end or len(self._pending)
            self._block, self._pending = self._pending[:end], self._pending[end:]
            yield self._block
            self._read_more()

    def end_at_row(self) -> bytes:
        """Return the block again, which ends at a row although quoted values hold line ends; the rest comes next."""
        whole = self._block + self._pending
        end = self._last_row_end(whole)
        while not end and not self._is_complete and len(whole) <= _LONGEST_ROW:
            self._pending = b""
            self._read_more()
            whole += self._pending
            end = self._last_row_end(whole)
        end = end or (len(whole) if self._is_complete else len(self._block))
        self._block, self._pending = whole[:end], whole[end:]
        return self._block

    def _read_more(self) -> None:
        if not self._is_complete:
            more = self._read()
            self._is_complete = not more
            self._pending += more

    def _last_row_end(self, block: bytes) -> int:
        """Return the position after the last complete row, 0 if there is none; rows with quotes are read by cell."""
        at = 0
        while (quote := block.find(b'"', at)) >= 0:
            row = max(at, block.rfind(b"\n", at, quote) + 1)
            end = self._row_end(block, row)
            if end < 0:
                return row
            at = end + 1
        return max(at, block.rfind(b"\n", at) + 1)

    def _row_end(self, block: bytes, at: int) -> int:
        """Return the position of the line end of the row that begins at ``at``; -1 if the block ends first."""
        while at < len(block):
            if block[at : at + 1] == b'"':
                quoted = self._closed.match(block, at)
                if quoted is None:
                    return -1
                at = quoted.end()
            match = self._rest.match(block, at)
            at = match.end() if match else at
            if block[at : at + 1] == b"\n":
                return at
            at += 1
        return -1
