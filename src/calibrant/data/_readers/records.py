"""Tables of JSON, Stata, SPSS and SAS, as Arrow tables."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant._repr import listed
from calibrant.data._readers.source import check_text_format, check_width, decode
from calibrant.exceptions import ReadError

_PROGRAMS = {".dta": "Stata", ".sav": "SPSS", ".sas7bdat": "SAS"}
_JSON_HINT = 'Write a list of objects, [{"age": 31, "gives": "yes"}, …], or one object a line.'


def read_json(path: Path, raw: bytes, encoding: str | None = None) -> Any:
    r"""Return the table of a JSON file: a list of objects, one object a line, or an object of lists.

    Examples
    --------
    >>> read_json(Path("a.jsonl"), b'{"age": 31}\n{"age": null, "gives": "yes"}\n').to_pydict()
    {'age': [31, None], 'gives': [None, 'yes']}
    """
    pa = optional_import("pyarrow", extra="data", purpose="read JSON files")
    check_text_format(path, raw)
    text = decode(path, raw, encoding)
    try:
        found = _unwrapped(json.loads(text))
    except json.JSONDecodeError as error:
        found = _lines(path, text, error)
    if isinstance(found, list) and found and all(isinstance(each, dict) for each in found):
        names = dict.fromkeys(name for record in found for name in record)
        columns = {name: [record.get(name) for record in found] for name in names}
    elif isinstance(found, dict) and len({len(each) if isinstance(each, list) else -1 for each in found.values()}) == 1:
        columns = found
    else:
        raise ReadError.at(path, "holds no table", hint=_JSON_HINT)
    check_width(path, len(columns))
    return pa.table({name: _column(path, name, values) for name, values in columns.items()})


def _unwrapped(found: Any) -> Any:
    """Return the table in a document: the one list of objects that it holds, or pandas' columns by row."""
    if not isinstance(found, dict):
        return found
    if {"columns", "data"} <= found.keys():  # orient="split" of pandas
        return [dict(zip(found["columns"], row, strict=False)) for row in found["data"]]
    if found and all(isinstance(each, dict) for each in found.values()):
        rows = dict.fromkeys(row for column in found.values() for row in column)
        return {name: [column.get(row) for row in rows] for name, column in found.items()}
    lists = [each for each in found.values() if isinstance(each, list)]
    if len(lists) == 1 and all(isinstance(each, dict) for each in lists[0]):
        return lists[0]
    return found if lists else [found]


def _lines(path: Path, text: str, error: json.JSONDecodeError) -> list[Any]:
    """Return the values of a text that has one a line; raise the error of the whole text where it has not."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            found += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as wrong:
            where, problem = (number, wrong) if found else (error.lineno, error)
            raise ReadError.at(path, f"is not JSON ({problem.msg})", line=where, hint=_JSON_HINT) from problem
    return found


def _column(path: Path, name: str, values: list[Any]) -> Any:
    """Return values as a column; of values of several types as text."""
    import pyarrow as pa

    if any(isinstance(each, dict | list) for each in values):
        hint = "Take its values out into columns of their own."
        raise ReadError.at(path, "holds lists or objects", column=name, hint=hint)
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        texts = [each if isinstance(each, str) or each is None else json.dumps(each) for each in values]
        return pa.array(texts, pa.string())


def read_statistics(path: Path, raw: bytes, extension: str, encoding: str | None = None) -> tuple[Any, tuple[str, ...]]:
    """Return the table of a file of Stata, SPSS or SAS, and notes; labels of values are their categories."""
    program = _PROGRAMS[extension]
    pyreadstat = optional_import("pyreadstat", extra="tables", purpose=f"read files of {program}")
    import pyarrow as pa

    read = getattr(pyreadstat, f"read_{extension[1:]}")
    labels = {} if extension == ".sas7bdat" else {"apply_value_formats": True}  # SAS keeps them in a file of their own
    try:
        with tempfile.TemporaryDirectory() as folder:  # pyreadstat needs a path
            copied = Path(folder, f"table{extension}")
            copied.write_bytes(raw)
            frame = read(str(copied), encoding=encoding, **labels)[0]
    except MemoryError:
        raise
    except Exception as error:  # the parser raises whatever it meets
        hint = f"Copy it again, or save it as CSV or Parquet in {program}."
        reason = " ".join(str(error).split())[:80]
        raise ReadError.at(path, f"is no complete file of {program} ({reason})", hint=hint) from error
    if not len(frame) or not len(frame.columns):
        raise ReadError.at(path, f"has {len(frame)} rows and {len(frame.columns)} columns", hint="Pass rows.")
    check_width(path, len(frame.columns))
    labelled = [str(name) for name in frame if frame[name].dtype.name == "category"]
    notes = (f"Labels of values are the categories of {listed(map(repr, labelled), 6)}.",) if labelled else ()
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None), notes
