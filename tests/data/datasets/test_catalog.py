"""The catalog agrees with the manifest."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from calibrant.data._datasets.catalog import catalog
from calibrant.data._datasets.tasks import TASKS

THIRD_PARTY = [name for name in catalog() if name != "appeal"]


def test_the_catalogue_has_every_set_of_the_manifest_and_appeal(manifest: dict[str, Any]) -> None:
    assert set(catalog()) == {*manifest, "appeal"}


@pytest.mark.parametrize("name", THIRD_PARTY)
def test_a_set_is_described_as_in_the_manifest(name: str, manifest: dict[str, Any]) -> None:
    info, entry = catalog()[name], manifest[name]
    assert (info.rows, info.n_features) == (entry["rows"], entry["feature_columns"])
    assert info.class_counts == entry["class_counts"]
    assert info.positive == (entry["positive_class"] if entry["positive_class"] in entry["class_counts"] else None)


@pytest.mark.parametrize("name", catalog())
def test_class_counts_add_up_to_the_rows(name: str) -> None:
    info = catalog()[name]
    assert sum(info.class_counts.values()) == info.rows
    assert info.positive is None or info.positive in info.class_counts


@pytest.mark.parametrize("name", catalog())
def test_labels_of_other_sources_lead_to_ours(name: str) -> None:
    info = catalog()[name]
    # Type 4 of glass is declared on OpenML and has no row.
    assert set(info.labels.values()) - {"4"} <= set(info.class_counts)


@pytest.mark.parametrize("name", catalog())
def test_a_set_names_the_papers_whose_tasks_use_it(name: str) -> None:
    papers = {task.partition(".")[0] for task in TASKS if TASKS[task].source == name}
    assert papers <= set(catalog()[name].papers) <= {"nielsen", "chawla", "caruana", "zadrozny"}


def test_openml_ids_differ() -> None:
    ids = [info.openml for info in catalog().values() if info.openml is not None]
    assert len(ids) == len(set(ids)) == 27


def test_the_catalogue_cannot_be_changed() -> None:
    info = catalog()["iris"]
    with pytest.raises(FrozenInstanceError):
        info.rows = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        info.class_counts["setosa"] = 1  # type: ignore[index]
