"""Fuzz targets for the readers: any bytes give a table, a study or a CalibrantError, in little time and memory.

``python readers.py NAME FOLDER [libFuzzer options]`` fuzzes one reader, with the corpus in FOLDER.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import atheris
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.arrow import read_feather, read_parquet
from calibrant.data._readers.c45 import read_c45, read_names
from calibrant.data._readers.csv_file import read_csv
from calibrant.data._readers.source import decode
from calibrant.data._tables.assemble import assemble
from calibrant.exceptions import CalibrantError
from calibrant.studies._definition.files import check_structure
from calibrant.studies._definition.texts import TextError, read_toml, read_yaml

SEPARATOR = b"\n---\n"


def read_csv_bytes(data: bytes) -> object:
    return read_csv(Path("f.csv"), data)


def read_parquet_bytes(data: bytes) -> object:
    return read_parquet(Path("f.parquet"), data)


def read_feather_bytes(data: bytes) -> object:
    return read_feather(Path("f.feather"), data)


def read_arff_bytes(data: bytes) -> object:
    return read_arff(Path("f.arff"), decode(Path("f.arff"), data))


def read_c45_bytes(data: bytes) -> object:
    names, _, rows = data.partition(SEPARATOR)
    description = read_names(Path("f.names"), decode(Path("f.names"), names))
    return read_c45(Path("f.data"), decode(Path("f.data"), rows), description)


def read_yaml_bytes(data: bytes) -> None:
    node = read_yaml(data.decode("utf-8", "replace"))
    if node is not None:
        check_structure(node.value)  # and no further: a study file imports what it names


def read_toml_bytes(data: bytes) -> None:
    check_structure(read_toml(data.decode("utf-8", "replace")))


TARGETS: dict[str, Callable[[bytes], object]] = {
    "csv": read_csv_bytes,
    "parquet": read_parquet_bytes,
    "feather": read_feather_bytes,
    "arff": read_arff_bytes,
    "c45": read_c45_bytes,
    "yaml": read_yaml_bytes,
    "toml": read_toml_bytes,
}
STUDIES = ("yaml", "toml")


def columnar(name: str, table: pa.Table) -> bytes:
    """Return the bytes of a small table."""
    buffer = io.BytesIO()
    if name == "parquet":
        pa.parquet.write_table(table, buffer, compression="none")
    else:
        pa.feather.write_feather(table, buffer, compression="uncompressed")
    return buffer.getvalue()


def tables(*, has_missing: bool) -> list[pa.Table]:
    """Return tables of times and dates, of dictionaries (for Parquet without missing values), with a stored index."""
    times = {"t": pa.time32("ms"), "u": pa.time64("ns"), "d": pa.duration("us"), "e": pa.date32()}
    codes = pa.array([0, 1, None], pa.int8())
    dictionaries = {
        "s": pa.DictionaryArray.from_arrays(codes, pa.array(["a", None if has_missing else "b", "a"])),
        "n": pa.DictionaryArray.from_arrays(codes, pa.array([1, 2])),
        "f": pa.DictionaryArray.from_arrays(codes, pa.array([0.5, float("nan")])),
        "d": pa.DictionaryArray.from_arrays(codes, pa.array([1, 2], pa.date32())),
    }
    indexed = pd.DataFrame({"c": pd.Categorical([1, 2]), "y": ["u", "v"]}, index=pd.Index([7, 9], name="id"))
    small = {"int": pa.int32(), "long": pa.int64()}
    return [
        pa.table(
            {n: pa.array([1, None, 3], small["int" if t.bit_width == 32 else "long"]).cast(t) for n, t in times.items()}
            | {"z": pa.array([1, None, 3]).cast(pa.timestamp("ns", "UTC")), "y": ["u", "v", "u"]}
        ),
        pa.table(dictionaries | {"y": ["u", "v", "u"]}),
        pa.Table.from_pandas(indexed),
    ]


def seeds(name: str) -> list[bytes]:
    """Return small valid files to start from."""
    frame = pd.DataFrame({"a": [1.5, None], "s": ["x", "y"], "c": pd.Categorical(["u", "v"]), "y": [1, 0]})
    if name in ("parquet", "feather"):
        return [
            columnar(name, table) for table in (pa.Table.from_pandas(frame), *tables(has_missing=name == "feather"))
        ]
    texts = {
        "csv": [
            'a,b,y\n1,x,u\n?,"q\nr",v\n',
            "5,1;3\n4,9;3\n",
            "a\tb\n 1\t x\n",
            frame.to_csv(),
            "sep=;\n# note\n \nd;t;s;y;\n2020-01-02;10:30;2020-01-02 10:00;a;\n ; ; ;b;\n",
            'm,n,y\nr,"1,234",12%,u\ns,007,$5,v\n',
            '"a" "b"\n"1" 31.12.2020 x\n"2" 1.1.2021 y\n',
        ],
        "arff": [
            "@relation r\n@attribute a numeric\n@attribute 'b c' {x, 'y z'}\n@attribute d date 'yyyy'\n"
            "@attribute s string\n@data\n1,x,2020,t\n?,'y z',?,\"u v\"\n{0 2, 1 'y z'}\n1,x,?,w,{5}\n",
        ],
        "c45": [
            "yes, no. | classes\nage: continuous.\ntown: a, b c.\nz: discrete 3.\ni: ignore.\n"
            + SEPARATOR.decode()
            + "1.5, a, q, r, yes.\n?, b c, ?, s, no | c\n"
        ],
    }
    texts["yaml"] = [
        "name: s\ndatasets: [iris, {source: a.csv, groups: g}]\nmethods:\n  nb: &m a.B\n"
        "  t: {class: C, grid: {x: [1]}}\n  l:\n    - {class: D, params: {y: ~}, grid: {z: [.5, 'u']}}\n"
        "  again: *m\nplan: 3\nseed: 0x1\n",
        "? a\n: !!str b\n---\n- |\n  text\n- >-\n  more\n",
    ]
    texts["toml"] = [
        'name = "s"\ndatasets = ["iris"]\n[methods.t]\nclass = "C"\ngrid.x = [1, 2.5]\n[[methods.l]]\nclass = "D"\n'
        "grid = { z = [0x1, 2020-01-02] }\n",
    ]
    return [text.encode() for text in texts[name]]


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (folder / f"seed{number}").write_bytes(seed)
    read = TARGETS[name]

    def one_input(data: bytes) -> None:
        with contextlib.suppress(CalibrantError, TextError):
            found = read(data)
            if name not in STUDIES:
                repr(assemble(found, name="f"))  # type: ignore[arg-type]

    warnings.simplefilter("error")
    atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
    atheris.Fuzz()


def instrument() -> None:
    """Let the fuzzer see which lines of calibrant run; the import hook of atheris misses editable installs."""
    for function in gc.get_objects():
        if isinstance(function, types.FunctionType) and (function.__module__ or "").startswith("calibrant"):
            atheris.instrument_func(function)


if __name__ == "__main__":
    instrument()
    main()
