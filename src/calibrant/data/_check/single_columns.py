"""Findings on single columns: constants, ids, dates, text, numbers stored as text, values that look like missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant.data._check.coded_columns import CheckedColumn
from calibrant.data._check.table_check import FindingKind, TableFinding
from calibrant.data._frames.values import are_free_texts

_ALIKE = 0.995  # share of rows of one value above which a column is nearly constant
_MIN_ROWS = 20
_MANY = 100  # values of a nominal column
_TEXTS = 0.9  # share of texts that must look alike
_ID_NAME = re.compile(
    r"(?i)(^|[_\W])(id|key|number|nr|no|uuid|customer|patient|account|client)$|[a-z](ID|Id|Key|No|Nr)$"
)
_NUMBER = re.compile(r"^\s*[-+]?[$€£]?\s*\d[\d.,'  ]*\s*%?[$€£]?\s*$")
_DATE = re.compile(
    r"^\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))([T ]\d{1,2}:\d{2}.*)?\s*$"
)
_MISSING = {"-", "--", "?", "", ".", "n/a", "na", "n.a.", "unknown", "null", "missing", "nan", "#n/a", "unk"}
_CODES = (-1, -9, -99, -999, -9999, 99, 999, 9999, 99999)
_PROTECTED = re.compile(
    r"(?i)(^|[_\W])(age|sex|gender|race|ethnic\w*|religio\w*|nationality|native[_\W]?country|marital\w*|disab\w*|"
    r"foreign[_\W]?worker|pregnan\w*|veterans?|birth[_\W]?(date|year|day)?|dob)($|[_\W])"
)


def find_in_columns(columns: Sequence[CheckedColumn]) -> list[TableFinding]:
    """Return the findings on single columns; columns with the same evidence share one."""
    alike: dict[tuple[FindingKind, str], list[str]] = defaultdict(list)
    for column in columns:
        for kind, evidence in (*_by_counts(column), *_by_values(column)):
            alike[kind, evidence].append(column.name)
    found = [
        TableFinding(kind, tuple(names), evidence, _advice(kind, names)) for (kind, evidence), names in alike.items()
    ]
    named = [column.name for column in columns if _PROTECTED.search(re.sub(r"([a-z])([A-Z])", r"\1_\2", column.name))]
    if named:
        advice = f"Look at each group by itself: calibrant evaluate … --by {named[0]} (or report --by)."
        found.append(
            TableFinding("protected", tuple(named), "their names say so" if named[1:] else "its name says so", advice)
        )
    return found


def _advice(kind: FindingKind, names: Sequence[str]) -> str:
    drop = f"--types {names[0]}=drop"
    return {
        "constant": f"Nothing can be learned from it: {drop}.",
        "nearly constant": f"Hardly anything can be learned from it; look at the other rows, or {drop}.",
        "id": f"Nothing holds for new rows; leave it out: {drop}.",
        "repeated id": f"If so, split by it: --groups {names[0]}.",
        "date": f"Is the table to predict later rows? Then split by it: --time {names[0]}.",
        "text": f"ProbabilityClassifier learns from its words, others leave it out; {drop} leaves it out everywhere.",
        "many values": f"Most values are too rare to learn from; join them, or {drop}.",
        "number as text": f"Read it as numbers: --types {names[0]}=number.",
        "looks missing": "If they are, name them by --missing.",
    }[kind]


def _by_counts(column: CheckedColumn) -> list[tuple[FindingKind, str]]:
    """Return findings by the number of values and of their rows."""
    n, known, n_values = len(column.codes), column.n_known, column.n_values
    if n < 2:
        return []
    if n_values <= 1:
        if not known:
            return [("constant", "every row is missing")]
        return [] if column.missing.sum() else [("constant", "one value in every row")]
    largest = int(column.totals.max())
    if largest >= _ALIKE * n and n >= 200:
        return [("nearly constant", f"one value in at least {100 * _ALIKE:g} % of rows")]
    if known < _MIN_ROWS or column.kind == "date":
        return []
    is_integral = column.kind == "nominal" or not np.any(np.asarray(column.values, float) % 1)
    if n_values == known and is_integral and not _is_text(column):
        is_named = bool(_ID_NAME.search(column.name))
        if column.kind == "nominal" or is_named or np.ptp(np.diff(column.values.astype(float))) == 0:
            steps = np.diff(column.codes[column.codes >= 0])
            monotone = ", in increasing order" if column.is_ranked and (steps > 0).all() else ""
            return [("id", f"a different value in every row{monotone}")]
    if _ID_NAME.search(column.name) and n_values >= _MIN_ROWS and known / n_values >= 1.2 and is_integral:
        return [("repeated id", f"{n_values:,} values in {known:,} rows")]
    return []


def _is_text(column: CheckedColumn) -> bool:
    return column.has_strings and not column.is_declared and are_free_texts(column.values.tolist(), column.n_known)


def _by_values(column: CheckedColumn) -> list[tuple[FindingKind, str]]:
    """Return findings by the look of values."""
    if column.kind == "date":
        return [("date", "its type says so")] if column.n_values > 1 else []
    if column.kind == "number":
        return _missing_codes(column)
    texts = column.some_texts
    if not texts:
        return []
    found: list[tuple[FindingKind, str]] = []
    held = {text.strip().lower() for text in map(str, column.values)} if column.n_values <= 100_000 else set()
    if marks := sorted(held & _MISSING):
        rows = sum(
            int(n) for value, n in zip(column.values, column.totals, strict=True) if str(value).strip().lower() in marks
        )
        found.append(("looks missing", f"{', '.join(map(repr, marks))} in {rows:,} rows"))
    proper = [text for text in texts if text.strip().lower() not in _MISSING]
    if not proper:
        return found
    if np.mean([bool(_DATE.match(text)) for text in proper]) >= _TEXTS:
        return [*found, ("date", f"values such as {proper[0]!r}")]
    if len(proper) > 1 and np.mean([bool(_NUMBER.match(text)) for text in proper]) >= _TEXTS and _is_written(column):
        return [*found, ("number as text", f"values such as {proper[0]!r}")]
    if _is_text(column):
        return [
            *found,
            ("text", f"{np.mean([len(text.split()) for text in texts]):.0f} words a row, such as {texts[0][:30]!r}"),
        ]
    n_values = column.n_values
    if n_values >= _MANY and n_values < column.n_known and n_values > column.n_known / 100:
        found.append(
            ("many values", f"{n_values:,} values, {int((column.totals == 1).sum()):,} of them in one row only")
        )
    return found


def _is_written(column: CheckedColumn) -> bool:
    """Return whether numbers stand there as text, and not as codes that are declared as categories."""
    return not column.is_declared or any(not str(value).strip().isdigit() for value in column.values)


def _missing_codes(column: CheckedColumn) -> list[tuple[FindingKind, str]]:
    """Return a number that stands far from all others and looks like a code of missing values."""
    values: Any = column.values.astype(float)
    found = []
    for code in _CODES:
        place = int(np.searchsorted(values, code))
        if place >= len(values) or values[place] != code or column.totals[place] < 5 or len(values) < 10:
            continue
        others = np.delete(values, place)
        is_end = place in (0, len(values) - 1)
        gap = abs(code - (others[0] if place == 0 else others[-1]))
        if is_end and gap > 0.5 * np.ptp(others) and gap > 1:
            found.append(("looks missing", f"{code} in {int(column.totals[place]):,} rows, far from all other values"))
    return found  # type: ignore[return-value]
