"""Damaged and hostile zip files: each is refused with an error that names the file and what to do."""

from __future__ import annotations

import json
import os
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.crafted import archive, entry, file_of, parts, small_model, write

import calibrant
from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import ModelFileError, ParameterError
from calibrant.files import describe_model

CENTRAL = b"PK\x01\x02"  # begins a record of the directory of a zip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.calibrant"


def save_two_entries(path: Path, compress: bool) -> bytes:
    """Return the file of a model with an array of its own, which is larger than those that stand in the document."""
    calibrant.save(ConstantClassifier().fit(np.zeros((300, 1)), np.arange(300)), path, compress=compress)
    assert len(zipfile.ZipFile(path).namelist()) == 2
    return path.read_bytes()


def positions(whole: bytes) -> set[int]:
    """Return every position around the entries and their records, and every seventh of their content."""
    edges = {found.start() for found in re.finditer(rb"PK(\x03\x04|\x01\x02|\x05\x06)", whole)} | {len(whole)}
    near = {at + step for at in edges for step in range(-100, 150)}
    return (near | set(range(0, len(whole), 7))) & set(range(len(whole)))


def header() -> bytes:
    return json.dumps(parts()[0]).encode()


def refused(path: Path, words: str) -> None:
    for read in (calibrant.load_model, describe_model):
        with pytest.raises(ModelFileError, match=words) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert str(caught.value).endswith((".", "calibrant"))


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_cut_off_anywhere_is_refused(path: Path, compress: bool) -> None:
    whole = save_two_entries(path, compress)
    for size in positions(whole):
        write(path, whole[:size])
        with pytest.raises(ModelFileError):
            calibrant.load_model(path)


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_with_any_byte_changed_is_refused(path: Path, compress: bool) -> None:
    whole = save_two_entries(path, compress)
    for position in positions(whole):
        changed = bytearray(whole)
        changed[position] ^= 1 << position % 8
        write(path, changed)
        with pytest.raises(ModelFileError):
            calibrant.load_model(path)


@pytest.mark.parametrize("extra", [b"\0", b"trailing", b"PK\5\6" + bytes(18)])
def test_content_after_the_end_is_refused(path: Path, extra: bytes) -> None:
    refused(write(path, file_of(parts()[0]) + extra), "does not end as a model file does")


def test_content_before_the_start_is_refused(path: Path) -> None:
    refused(write(path, b"#!/bin/sh\n" + file_of(parts()[0])), "is not a model file")


def test_content_between_entries_is_refused(path: Path) -> None:
    first, second = entry("model.json", header()), entry("arrays/0.bin", bytes(8))
    first = (first[0], first[1] + b"hidden")
    refused(write(path, archive([first, second])), "is not as calibrant writes it|does not lie where")


@pytest.mark.parametrize("name", ["../../evil", "/etc/passwd", "arrays/../x", "C:\\x", "arrays/1.bin", "MODEL.JSON"])
def test_other_names_are_refused(path: Path, name: str) -> None:
    content = archive([entry("model.json", header()), entry(name, b"x")])
    refused(write(path, content), "has the entry .* where 'arrays/0.bin' is expected")


def test_an_entry_twice_is_refused(path: Path) -> None:
    twice = entry("model.json", header())
    refused(write(path, archive([twice, twice])), "where 'arrays/0.bin' is expected")


def test_overlapping_entries_are_refused(path: Path) -> None:
    entries = [entry("model.json", header()), entry("arrays/0.bin", bytes(64))]
    refused(write(path, archive(entries, offsets=[0, 0])), "not as calibrant writes it: moved")
    longer = [entry("model.json", header(), stored_size=10_000, size=10_000), entries[1]]
    refused(write(path, archive(longer)), "does not lie where the directory puts it")


def test_an_encrypted_entry_is_refused(path: Path) -> None:
    content = bytearray(archive([entry("model.json", header())]))
    content[content.index(CENTRAL) + 8] |= 1
    refused(write(path, bytes(content)), "encrypted or a link")


def test_a_symbolic_link_in_the_zip_is_refused(path: Path) -> None:
    content = bytearray(archive([entry("model.json", b"/etc/passwd")]))
    struct.pack_into("<I", content, content.index(CENTRAL) + 38, 0o120777 << 16)
    refused(write(path, bytes(content)), "encrypted or a link")


def test_a_zip_of_another_program_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as other:
        other.writestr("model.json", header())
    refused(path, "does not end as a model file does|not a model file, or is cut off")


@pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x04K\x01." * 50, b"<html>" * 100, bytes(1000)])
def test_other_files_are_refused(path: Path, content: bytes) -> None:
    refused(write(path, content), "is not a model file|is a pickle")


def test_a_zip_bomb_is_refused_before_it_expands(path: Path) -> None:
    declared = parts()[0] | {"arrays": [{"dtype": "u1", "shape": [50_000_000]}]}
    write(path, file_of(declared, [bytes(50_000_000)], compress=True))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    refused(path, "would expand to 50,00")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("size", [10, 1_000, 400_000])
def test_an_entry_that_expands_to_another_size_is_refused(path: Path, size: int) -> None:
    declared = parts()[0] | {"arrays": [{"dtype": "u1", "shape": [size]}]}
    noise = np.random.default_rng(0).bytes(20_000)
    content = archive(
        [entry("model.json", json.dumps(declared).encode()), entry("arrays/0.bin", noise, compress=True, size=size)]
    )
    with pytest.raises(ModelFileError, match="does not expand to"):
        calibrant.load_model(write(path, content))


def test_a_wrong_checksum_is_refused(path: Path) -> None:
    content = archive([entry("model.json", header(), crc32=1, stored_crc32=1)])
    refused(write(path, content), r"the checksum of model\.json is wrong")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "is not a file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    refused(path, "is not a file")


def test_content_cannot_choose_the_error_of_its_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calibrant.save(small_model(), path)
    for error in (ParameterError("a rule"), OSError("a disk"), RuntimeError("a fault"), MemoryError("800 GiB")):

        def fail(*_: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("zlib.crc32", fail)
        with pytest.raises(ModelFileError, match=f"model.calibrant: cannot be loaded .{type(error).__name__}: {error}"):
            calibrant.load_model(path)
