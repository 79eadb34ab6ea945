"""A report records all that another person needs to make it again."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np

import calibrant
from calibrant._sections import Definitions, Preformatted
from calibrant.report._how_made import RECIPE, fingerprint, how_made_section
from calibrant.report._predictions.read_report_data import read_report_data

Y, P = ["no", "yes", "yes", "no"] * 5, [0.2, 0.7, 0.6, 0.4] * 5


def facts(**options: Any) -> dict[str, str]:
    found = how_made_section(read_report_data(Y, P, **options))
    return dict(next(block for block in found.blocks if isinstance(block, Definitions)).pairs)


def test_the_facts_are_those_of_the_data_and_the_settings() -> None:
    found = facts(source="scores.csv", sample_weight=[1, 2] * 10, random_state=7, n_boot=500)
    assert found["Source"] == "scores.csv"
    assert found["Rows"] == "20 rows of weight 30 together (frequency weights)"
    assert found["Classes"] == "no and yes; probabilities are of yes"
    assert found["Settings"] == "intervals at 95 %; 500 bootstrap replicates; seed 7"
    assert f"calibrant {calibrant.__version__}" in found["Versions"]
    assert f"numpy {np.__version__}" in found["Versions"]


def test_the_command_is_shown_as_it_was_typed() -> None:
    first = how_made_section(read_report_data(Y, P, command="calibrant report p.csv --target y")).blocks[0]
    assert isinstance(first, Preformatted)
    assert first.text == "calibrant report p.csv --target y"


def test_without_a_command_the_call_is_shown() -> None:
    first = how_made_section(read_report_data(Y, {"a": P, "b": P}, by={"s": Y}, rows=False, reference="a")).blocks[0]
    assert isinstance(first, Preformatted)
    assert first.text == (
        "Report.from_predictions(y_true, {'a': ..., 'b': ...}, by={'s': ...}, pos_label='yes', reference='a', "
        "rows=False, confidence=0.95, n_boot=1000, random_state=0)"
    )


def test_the_recipe_in_the_report_computes_the_fingerprint() -> None:
    second = np.sqrt(P)
    data = read_report_data(Y, {"a": P, "b": second})
    known = {"classes": ["no", "yes"], "codes": [0, 1, 1, 0] * 5, "tables": [P, second]}
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(RECIPE, known)  # noqa: S102  # the lines that the report shows
    assert printed.getvalue().strip() == fingerprint(data)


def test_a_changed_probability_changes_the_fingerprint() -> None:
    changed = [*P[:-1], np.nextafter(P[-1], 1)]
    assert fingerprint(read_report_data(Y, P)) != fingerprint(read_report_data(Y, changed))
    assert fingerprint(read_report_data(Y, P)) == fingerprint(read_report_data(np.array(Y), np.array(P)))


def test_nothing_depends_on_the_time() -> None:
    one, other = (how_made_section(read_report_data(Y, P)).html() for _ in range(2))
    assert one == other
