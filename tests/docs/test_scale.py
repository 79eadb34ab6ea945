"""The page on sources lists what they refuse, and every entry of the list raises an error that says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from calibrant import ensembles, neighbors
from calibrant._source_limits import IN_MEMORY_ESTIMATORS, REFUSED_PARAMETERS, check_source_params
from calibrant.bayes import NaiveBayesClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier, MOBESPClassifier
from calibrant.estimates import KernelDensity
from calibrant.exceptions import DataTypeError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scale.md").read_text("utf-8")
ROWS = pl.LazyFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": [0, 0, 1, 1]})
# Estimators with each setting that is refused for all sources.
EXAMPLES = {
    "max_bins > 255": [ProbabilityTreeClassifier(max_bins=256), BoostedTreesClassifier(max_bins=1_000)],
    "warm_start=True": [BaggedTreesClassifier(warm_start=True), BoostedTreesClassifier(warm_start=True)],
    'estimate="kernel_density"': [
        ProbabilityTreeClassifier(estimate="kernel_density"),
        BaggedTreesClassifier(estimate=KernelDensity()),
    ],
    'numeric="kernel"': [NaiveBayesClassifier(numeric="kernel")],
    'numeric="gaussian" with dialect="weka"': [NaiveBayesClassifier(numeric="gaussian", dialect="weka")],
}


# And those refused only where trees are grown level by level.
LEVEL_EXAMPLES = {
    "prune other than None": [BaggedTreesClassifier(prune="pessimistic"), ProbabilityTreeClassifier(prune="mdl")],
    "honest=True": [BaggedTreesClassifier(honest=True), ProbabilityTreeClassifier(honest=True)],
    "collapse=True": [BaggedTreesClassifier(collapse=True), ProbabilityTreeClassifier(collapse=True)],
    'out_of_bag_weight="auto" or "leaf" with out_of_bag="condition"': [MOBESPClassifier(out_of_bag_weight="leaf")],
    'dialect="j48" of boosted trees': [BoostedTreesClassifier(dialect="j48")],
}


def table(heading: str) -> dict[str, str]:
    """Return the rows of the table whose first column has a heading."""
    lines = PAGE.split(f"| {heading} |")[1].splitlines()[2:]
    rows = [re.fullmatch(r"\| `(.+?)` \| (.+) \|", line) for line in lines[: lines.index("")]]
    return {row[1]: row[2] for row in rows if row}


def test_the_page_lists_the_refused_parameters_and_no_others() -> None:
    assert table("parameter") == {each.setting: each.instead for each in REFUSED_PARAMETERS}


def test_the_page_lists_the_estimators_that_keep_their_rows_and_no_others() -> None:
    assert table("estimator") == IN_MEMORY_ESTIMATORS


@pytest.mark.parametrize("refused", [each for each in REFUSED_PARAMETERS if each.way == "any"], ids=lambda r: r.setting)
def test_a_refused_parameter_raises_an_error_that_says_what_to_do(refused) -> None:
    for model in EXAMPLES[refused.setting]:
        with pytest.raises(ParameterError) as found:
            model.fit(ROWS, "y")
        assert refused.setting in str(found.value)
        assert refused.instead in str(found.value)


@pytest.mark.parametrize(
    "refused", [each for each in REFUSED_PARAMETERS if each.way == "levels"], ids=lambda r: r.setting
)
def test_a_parameter_refused_level_by_level_raises_there_alone(refused) -> None:
    for model in LEVEL_EXAMPLES[refused.setting]:
        check_source_params(model)
        with pytest.raises(ParameterError) as found:
            check_source_params(model, "levels")
        assert refused.setting in str(found.value)
        assert refused.instead in str(found.value)


@pytest.mark.parametrize("name", IN_MEMORY_ESTIMATORS)
def test_an_estimator_that_keeps_its_rows_names_what_to_use_instead(name: str) -> None:
    model = getattr(ensembles, name, None) or getattr(neighbors, name)
    with pytest.raises(DataTypeError, match=re.escape(IN_MEMORY_ESTIMATORS[name])):
        model().fit(ROWS, "y")
