"""Texts that recur in a store (names, fingerprints, versions), kept once and referred to by number."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

__all__ = ["StoredNames", "check_text", "digest_of"]

_ADD = "INSERT INTO calibrant_names (digest, name) VALUES (:digest, :name) ON CONFLICT (digest) DO NOTHING"
_FIND = "SELECT digest, id FROM calibrant_names WHERE digest $IN_KEYS"
_READ = "SELECT id, name FROM calibrant_names WHERE id $IN_CODES"


class StoredNames:
    """The numbers of texts and the texts of numbers; both are remembered, as they never change."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    def ids(self, texts: Collection[str]) -> Mapping[str, int]:
        """Return a mapping that has the number of each text; new texts are committed at once, before they are used."""
        missing = {digest_of(text): text for text in texts if text not in self._ids}
        if missing:
            self._add(missing)
        return self._ids

    def known_ids(self, texts: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those texts that the store has, inside a transaction."""
        missing = {digest_of(text): text for text in texts if text not in self._ids}
        self._remember(missing)
        return {text: self._ids[text] for text in texts if text in self._ids}

    def texts(self, ids: Iterable[int]) -> Mapping[int, str]:
        """Return a mapping that has the text of each number, inside a transaction."""
        missing = [number for number in set(ids) if number not in self._texts]
        if missing:
            self._texts.update(self._database.rows(_READ, codes=self._database.array(missing)))
        return self._texts

    def _add(self, missing: dict[str, str]) -> None:
        database = self._database
        rows = [{"digest": digest, "name": check_text(text)} for digest, text in sorted(missing.items())]
        database.write(lambda: database.execute(_ADD, rows))
        database.read(lambda: self._remember(missing))

    def _remember(self, missing: dict[str, str]) -> None:
        if missing:
            found = self._database.rows(_FIND, keys=self._database.array(list(missing)))
            self._ids.update((missing[digest], number) for digest, number in found)


def digest_of(text: str) -> str:
    """Return a digest of a text, by which an index finds it whatever its length."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def check_text(text: str) -> str:
    """Return a text; raise if not every database can keep it."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ParameterError(f"names must have no NUL characters and no unpaired surrogates; got {text[:50]!r}.")
    return text
