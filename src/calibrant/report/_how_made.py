"""The section on how a report was made: command, versions, settings, a fingerprint of the data."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from importlib import metadata

import numpy as np

from calibrant._repr import listed
from calibrant._sections import Block, Definitions, Paragraph, Preformatted, Section
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.wording import rows_text

_PACKAGES = ("numpy", "scipy", "scikit-learn", "altair", "vl-convert-python")


def versions_text() -> str:
    """Return the versions of calibrant, Python and what a report is computed and drawn with.

    Examples
    --------
    >>> versions_text().split(", ")[2].split()[0]
    'numpy'
    """
    from calibrant import __version__

    found = {"calibrant": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # without the extra, a report has its plain form only
            continue
    return ", ".join(f"{name} {version}" for name, version in found.items())


def made_section(command: str | None, facts: Iterable[tuple[str, str]]) -> Section:
    """Return the section of the command, if one is known, and of named facts."""
    blocks = () if command is None else (Preformatted(command, "Command"),)
    return Section("how-made", "How it was made", (*blocks, Definitions(tuple(facts))), "Reproducibility")


def store_text(store: str) -> str:
    """Return the name of a store without the folders of this computer, which a report that is sent need not show.

    Examples
    --------
    >>> store_text("sqlite:////home/ada/studies.db"), store_text("postgresql://ada:***@localhost/studies")
    ('sqlite:///studies.db', 'postgresql://ada:***@localhost/studies')
    """
    return f"sqlite:///{store.rpartition('/')[2]}" if store.startswith("sqlite:") else store


_MOST_LISTED = 10

# Another person recomputes the fingerprint by these lines alone; a test runs them
RECIPE = """\
import hashlib, json
import numpy as np

# classes: the classes in the order of the columns; codes: the position of each row's class among them
# tables: for each model, in order, the probabilities: one column of the positive class, or one for each class
digest = hashlib.sha256(json.dumps([str(each) for each in classes]).encode())
digest.update(np.asarray(codes, dtype="<i8").tobytes())
for table in tables:
    digest.update(np.ascontiguousarray(table, dtype="<f8").tobytes())
print(digest.hexdigest())
"""


def how_made_section(data: ReportData) -> Section:
    """Return the call, settings and versions by which another person makes the same report again."""
    blocks: list[Block] = []
    blocks.append(Preformatted(data.command, "Command") if data.command else Preformatted(_call(data), "Call"))
    blocks += [Preformatted(repr(data.costs), "Costs of decisions")] if data.costs is not None else []
    blocks += [Definitions(tuple(_facts(data).items())), Paragraph(_REPEATED, "note")]
    blocks.append(Preformatted(RECIPE, "The fingerprint is the SHA-256 that these lines of Python print"))
    return Section("how-made", "How it was made", tuple(blocks), "Reproducibility")


_OF_ROWS = ("costs", "amount", "groups", "ids", "sample_weight")
_REPEATED = (
    "The same data, settings and versions make the same report, byte for byte; so it holds no date. The intervals are "
    "those of these fitted models on further rows like these, not of models fitted again."
)


def _call(data: ReportData) -> str:
    """Return the call in Python, with values of rows as dots and defaults left out."""
    models = "..." if len(data.names) == 1 else "{" + ", ".join(f"{name!r}: ..." for name in data.names) + "}"
    given = {
        "name": f"{data.names[0]!r}" if len(data.names) == 1 and data.names[0] != "model" else "",
        "by": "{" + ", ".join(f"{column!r}: ..." for column in data.by) + "}" if data.by else "",
        **{name: "..." for name in _OF_ROWS if getattr(data, name) is not None},
        "weight_kind": f"{data.weight_kind!r}" if data.weight_kind != "frequency" else "",
        "pos_label": f"{data.positive!r}" if data.is_binary else "",
        "reference": f"{data.reference!r}" if data.reference is not None else "",
        "rows": "" if data.rows else "False",
        "confidence": f"{data.confidence:g}",
        "n_boot": f"{data.n_boot}",
        "random_state": f"{data.random_state}",
    }
    options = "".join(f", {name}={value}" for name, value in given.items() if value)
    return f"Report.from_predictions(y_true, {models}{options})"


def _facts(data: ReportData) -> dict[str, str]:
    facts = {"Source": data.source} if data.source else {}
    classes = [str(label) for label in data.classes]
    named = (
        f"{listed(classes)}; probabilities are of {data.positive}" if data.is_binary else listed(classes, _MOST_LISTED)
    )
    facts |= {"Rows": _rows(data), "Classes": named}
    facts |= {"Models": listed(data.names)} if len(data.names) > 1 else {}
    facts |= {
        "Settings": f"intervals at {data.level}; {data.n_boot:,} bootstrap replicates; seed {data.random_state}",
        "Single rows": "may be embedded" if data.rows else "none: rows are pooled by tens at least",
        "Versions": versions_text(),
        "Fingerprint": fingerprint(data),
    }
    return facts


def _rows(data: ReportData) -> str:
    text = rows_text(data.n_rows)
    if data.sample_weight is not None:
        text += f" of weight {data.sample_weight.sum():,.6g} together ({data.weight_kind} weights)"
    if data.groups is not None:
        text += f", of {rows_text(len(np.unique(data.groups)), 'group')}"
    return text


def fingerprint(data: ReportData) -> str:
    """Return the SHA-256 of classes and probabilities in the order of the rows, as `RECIPE` describes it.

    Probabilities are those that were read: of the positive class where there are two classes.
    """
    digest = hashlib.sha256(json.dumps([str(label) for label in data.classes]).encode())
    codes = np.zeros(data.n_rows, dtype="<i8")
    for code, label in enumerate(data.classes):
        codes[data.y_true == label] = code
    digest.update(codes.tobytes())
    for table in data.probas.values():
        digest.update(np.ascontiguousarray(table, dtype="<f8").tobytes())
    return digest.hexdigest()
