"""A report records all that another person needs to make it again."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import numpy as np
from tests.report.blocks import facts, html_of, report_of, section

import calibrant

Y, P = ["no", "yes", "yes", "no"] * 5, [0.2, 0.7, 0.6, 0.4] * 5


def test_the_facts_are_those_of_the_data_and_the_settings() -> None:
    found = facts(report_of(Y, P, source="scores.csv", sample_weight=[1, 2] * 10, random_state=7, n_boot=60))
    assert found["Source"] == "scores.csv"
    assert found["Rows"] == "20 rows of weight 30 together (frequency weights)"
    assert found["Classes"] == "no and yes; probabilities are of yes"
    assert found["Settings"] == "intervals at 95 %; 60 bootstrap replicates; seed 7"
    assert f"calibrant {calibrant.__version__}" in found["Versions"]
    assert f"numpy {np.__version__}" in found["Versions"]


def test_the_command_is_shown_as_it_was_typed() -> None:
    first = section(report_of(Y, P, command="calibrant report p.csv --target y"), "how-made").blocks[0]
    assert (first.caption, first.text) == ("Command", "calibrant report p.csv --target y")


def test_without_a_command_the_call_is_shown() -> None:
    report = report_of(Y, {"a": P, "b": P}, by={"s": Y}, rows=False, reference="a")
    assert section(report, "how-made").blocks[0].text == (
        "Report.from_predictions(y_true, {'a': ..., 'b': ...}, by={'s': ...}, pos_label='yes', reference='a', "
        "rows=False, confidence=0.95, n_boot=50, random_state=0)"
    )


def test_the_recipe_in_the_report_computes_the_fingerprint() -> None:
    models = {"a": P, "b": np.sqrt(P)}
    report = report_of(Y, models)
    recipe = section(report, "how-made").blocks[-1].text
    known = {"classes": ["no", "yes"], "codes": [0, 1, 1, 0] * 5, "tables": [*models.values()]}
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(recipe, known)  # noqa: S102  # the lines that the report shows
    assert printed.getvalue().strip() == facts(report)["Fingerprint"]


def test_a_changed_probability_changes_the_fingerprint() -> None:
    changed = [*P[:-1], np.nextafter(P[-1], 1)]
    found, same, other = (
        facts(report_of(y, p))["Fingerprint"] for y, p in ((Y, P), (np.array(Y), np.array(P)), (Y, changed))
    )
    assert found == same
    assert found != other


def test_nothing_depends_on_the_time() -> None:
    one, other = (html_of(report_of(Y, P), "how-made") for _ in range(2))
    assert one == other
