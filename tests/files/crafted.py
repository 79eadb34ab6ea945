"""Model files that nobody would save: built byte by byte, with every checksum right unless a test makes it wrong."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibrant._saved.arrays import ArraySpec
from calibrant._saved.documents import Writer
from calibrant.bayes import ConstantClassifier
from calibrant.files import _archive as layout
from calibrant.files._archive import to_json
from calibrant.files._description import DataSource, find_schema
from calibrant.files._model_files import make_header

Document = dict[str, Any]


def small_model() -> ConstantClassifier:
    return ConstantClassifier().fit([[1.0, "a"], [2.0, "b"], [None, "a"]], ["no", "yes", "no"])


def parts(model: Any = None) -> tuple[Document, list[np.ndarray[Any, Any]]]:
    """Return the header and the arrays of a model's file."""
    out = Writer()
    model = model or small_model()
    header = make_header(model, out, "ada", DataSource(), (), find_schema(model))
    return {**header, "arrays": [ArraySpec.of(array).to_json() for array in out.arrays]}, out.arrays


def deflated(content: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


def entry(name: str, content: bytes, *, compress: bool = False, **changed: Any) -> tuple[layout.Entry, bytes]:
    """Return an entry and its bytes in the file; ``changed`` are the lies of its header."""
    stored = deflated(content) if compress else content
    honest = {
        "name": name,
        "method": layout.DEFLATED if compress else layout.STORED,
        "crc32": zlib.crc32(content),
        "stored_crc32": zlib.crc32(stored),
        "stored_size": len(stored),
        "size": len(content),
    }
    return layout.Entry(**(honest | changed)), stored


def archive(
    entries: Sequence[tuple[layout.Entry, bytes]],
    *,
    offsets: Sequence[int] | None = None,
) -> bytes:
    """Return a zip of entries; ``offsets`` are those the directory claims."""
    content, found = b"", []
    for each, stored in entries:
        found.append(len(content))
        content += layout.local_header(each, len(content)) + stored
    directory = b"".join(
        layout.central_record(each, at) for (each, _), at in zip(entries, offsets or found, strict=True)
    )
    return content + directory + layout.tail(len(entries), len(content), len(directory))


def file_of(header: Document | bytes, arrays: Sequence[bytes] = (), *, compress: bool = False) -> bytes:
    """Return the file of a header and the contents of arrays."""
    text = header if isinstance(header, bytes) else to_json(header)
    named = [("model.json", text), *((f"arrays/{number}.bin", content) for number, content in enumerate(arrays))]
    return archive([entry(name, content, compress=compress) for name, content in named])


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
