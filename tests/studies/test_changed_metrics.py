"""A metric whose keywords changed is computed again: its values in the store are of another metric."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibrant.exceptions import StudyChangedError
from calibrant.studies import Study


def study(store: Path, fraction: float) -> Study:
    return Study(
        "s",
        datasets=["appeal"],
        methods={"nb": "NaiveBayesClassifier"},
        plan=3,
        metrics=["lift"],
        metric_params={"lift": {"fraction": fraction}},
        store=store,
    )


def test_values_of_a_metric_with_other_keywords_do_not_count(tmp_path: Path) -> None:
    study(tmp_path / "a.db", 0.1).run()
    changed = study(tmp_path / "a.db", 0.5)
    with pytest.raises(StudyChangedError, match="keeps the 0 finished trials of 3"):
        changed.run()
    changed.run(update=True)
    fresh = study(tmp_path / "b.db", 0.5)
    fresh.run()
    assert changed.results().table("lift").equals(fresh.results().table("lift"))
