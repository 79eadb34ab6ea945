"""Notebooks show results and fitted models as sections, with the numbers of the text and all names escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

import calibrant
from calibrant import ProbabilityClassifier
from calibrant.data import Table, list_datasets
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.metrics import evaluate
from calibrant.resampling import estimate_performance
from calibrant.studies import Study
from calibrant.trees import ProbabilityTreeClassifier

EVIL = "<img src=x onerror=alert(1)>\"'&"
LABELS = np.where(np.arange(60) % 3 == 0, EVIL, "other")
COLUMNS = {EVIL: [f"{EVIL}{k % 4}" for k in range(60)], "number": np.random.default_rng(0).normal(size=60).tolist()}
X = pd.DataFrame(COLUMNS)
PROBA = np.where(LABELS == EVIL, 0.6, 0.2)


class Page(HTMLParser):
    """The tags, attributes and text of a well-formed page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    table = Table(X=X, y=pd.Series(LABELS), name=EVIL)
    store = tmp_path_factory.mktemp("store") / "studies.db"
    methods = {EVIL: ProbabilityTreeClassifier(), "fails": ProbabilityTreeClassifier(min_leaf=5)}
    made = Study(EVIL, datasets={EVIL: table}, methods=methods, plan=2, metrics=["mse"], store=store)
    made.run()
    return made


def shown(study: Study) -> dict[str, Any]:
    methods = {EVIL: ProbabilityTreeClassifier(), "second": ProbabilityTreeClassifier(min_leaf=5)}
    return {
        "card": evaluate(LABELS, PROBA, pos_label=EVIL, metrics=["auc", "mse"], n_boot=20),
        "segments": evaluate(LABELS, PROBA, pos_label=EVIL, by=X[EVIL], metrics=["mse"], confidence=None),
        "performance": estimate_performance(methods, X, LABELS, 2, ["mse", "error"]),
        "study": study,
        "table": Table(X=X, y=pd.Series(LABELS), name=EVIL, notes=(EVIL,)),
        "tree": ProbabilityTreeClassifier().fit(X, LABELS),
        "forest": BaggedTreesClassifier(n_trees=2, random_state=0).fit(X, LABELS),
        "boosted": BoostedTreesClassifier(n_trees=2, random_state=0, max_depth=1).fit(X, LABELS),
        "stumps": BoostedStumpsClassifier(n_trees=2).fit(X, LABELS),
        "blend": ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(X, LABELS),
    }


@pytest.fixture(scope="module")
def reprs(study: Study) -> dict[str, Any]:
    return shown(study)


NAMES = ["card", "segments", "performance", "study", "table", "tree", "forest", "boosted", "stumps", "blend"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_data_are_harmless(name: str, reprs: dict[str, Any]) -> None:
    page = Page(reprs[name]._repr_html_())
    assert not {"img", "script"} & page.tags
    assert not {"style", "onerror", "id"} & page.attributes
    assert name in ("card", "performance") or EVIL in page.text


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_made_of_the_sections(name: str, reprs: dict[str, Any]) -> None:
    html = reprs[name]._repr_html_()
    assert all(section.html() in html for section in reprs[name]._sections())


@pytest.mark.parametrize("name", ["card", "segments", "performance", "table", "blend"])
def test_the_numbers_of_the_text_are_in_the_page(name: str, reprs: dict[str, Any]) -> None:
    page = Page(reprs[name]._repr_html_())
    for number in re.findall(r"\d+\.\d{3,}", repr(reprs[name]).replace(EVIL, "")):
        assert number in page.text


def test_a_card_with_very_many_segments_has_sections_of_a_few_only() -> None:
    by = np.arange(600) // 2
    card = evaluate(np.arange(600) % 2, np.full(600, 0.5), by=by, metrics=["mse"], confidence=None)
    assert len(card._sections()) == 22
    assert "… and 100 more segments" in card._repr_html_()


def test_a_finished_study_shows_its_trials_and_the_first_metric(study: Study) -> None:
    page = Page(study._repr_html_())
    assert "finished4" in page.text
    assert "failed0" in page.text
    assert f"{study.table('mse').iloc[0, 0]:.4f}" in page.text


def test_a_study_that_was_not_run_is_shown_without_an_error(tmp_path: Any) -> None:
    methods = {"tree": ProbabilityTreeClassifier()}
    study = Study("planned", datasets=["appeal"], methods=methods, store=tmp_path / "none.db")
    text = Page(study._repr_html_()).text
    assert "No results yet" in text
    assert "1 (appeal)" in text
    assert not (tmp_path / "none.db").exists()


def test_a_study_of_another_definition_is_shown_with_a_warning(study: Study) -> None:
    table = Table(X=X, y=pd.Series(LABELS), name=EVIL)
    other = Study(EVIL, datasets={EVIL: table}, methods={"tree": ProbabilityTreeClassifier()}, store=study.store)
    assert "another definition" in Page(other._repr_html_()).text


@pytest.mark.parametrize("model", [ProbabilityTreeClassifier(), ProbabilityClassifier(), BaggedTreesClassifier()])
def test_models_that_are_not_fitted_keep_the_diagram_of_scikit_learn(model: Any) -> None:
    assert "sk-top-container" in model._repr_html_()
    assert "sk-top-container" in model._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in make_pipeline(model)._repr_html_()


@pytest.mark.parametrize("name", ["tree", "forest", "boosted", "blend"])
def test_scikit_learn_s_choice_of_text_holds(name: str, reprs: dict[str, Any]) -> None:
    model = reprs[name]
    assert set(model._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert model._repr_mimebundle_()["text/html"] == model._repr_html_()
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


@pytest.mark.parametrize("name", ["tree", "forest", "boosted", "blend"])
def test_a_pipeline_with_a_fitted_model_shows_its_diagram(name: str, reprs: dict[str, Any]) -> None:
    assert type(reprs[name]).__name__ in make_pipeline(reprs[name])._repr_html_()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_fitted_tree_shows_parameters_base_rates_and_splits(frame: Any) -> None:
    rows = frame({"age": list(range(40)), "town": ["Oslo", "Rome"] * 20})
    model = ProbabilityTreeClassifier(min_leaf=3).fit(rows, ["no"] * 30 + ["yes"] * 10)
    text = Page(model._repr_html_()).text
    for words in ("min_leaf=3", "30 (75.0%)", "3 nodes, 2 leaves, depth 1", "age", "≤ 29", "yes: 91.7%", "10 rows"):
        assert words in text
    assert model.export_text() in text


@pytest.mark.parametrize("name", ["tree", "forest", "boosted", "stumps", "blend"])
@pytest.mark.parametrize("training_rows", [False, True])
def test_a_model_that_was_saved_is_shown_too(
    name: str, training_rows: bool, reprs: dict[str, Any], tmp_path: Any
) -> None:
    calibrant.save(reprs[name], tmp_path / "model", training_rows=training_rows)
    loaded = calibrant.load_model(tmp_path / "model")
    assert type(loaded).__name__ in Page(loaded._repr_html_()).text


def test_a_model_of_one_class_is_shown() -> None:
    model = ProbabilityTreeClassifier().fit([[1], [2]], ["a", "a"])
    assert "a: 100.0%" in Page(model._repr_html_()).text


def test_the_list_of_data_sets_needs_no_frame() -> None:
    assert ">appeal<" in list_datasets()._repr_html_()
