"""Files changed on purpose, with checksums made right: each is refused, or another valid model."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from pathlib import Path

import pytest
from tests.files.mutated_models import FOREIGN, NAMES, model_parts
from tests.files.mutation import check_file, mutate

CHANGES = 60  # of each model


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sample(8)
def test_a_changed_file_is_refused_or_another_valid_model(name: str, tmp_path: Path) -> None:
    if name in FOREIGN:
        pytest.importorskip("skops")
    model, path, found = model_parts(name), tmp_path / "model.calibrant", Counter[str]()
    for seed in range(CHANGES):
        path.write_bytes(mutate(model, random.Random(f"{name} {seed}").randrange))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sums that overflow in a model of huge numbers
            found[check_file(model, path)] += 1
    assert found["refused"] > CHANGES / 2
