"""Out-of-fold and test scores of many models on many data sets, stored so that maps are evaluated in minutes."""

from __future__ import annotations

import importlib.util
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from calibrant.data import load
from calibrant.ensembles import BoostedStumpsClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier

DATASETS = (
    *("adult", "bupa", "coil2000", "credit_g", "credit_screening", "ionosphere", "kdd98_case_control", "mammography"),
    *("phoneme", "pima", "sonar", "taiwan_credit_default", "telco_churn", "votes", "wbc", "wdbc", "wpbc"),
    *("audiology", "covertype", "glass", "indian_pines", "iris", "letter", "lymphography", "satimage", "segment"),
    *("soybean", "vehicle", "vowel", "wine", "zoo"),
)
MIN_CLASS_ROWS = 10  # rarer classes are left out: five folds and a test set need some rows of each
FOLDS = 5


@dataclass(frozen=True)
class Cell:
    """The scores of one model on one split of one data set; two classes have one column."""

    dataset: str
    model: str
    split: int
    scores: NDArray[np.float64]
    codes: NDArray[np.int64]
    test_scores: NDArray[np.float64]
    test_codes: NDArray[np.int64]
    is_margin: bool

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return max(2, self.scores.shape[1])


def models() -> dict[str, Callable[[int], Any]]:
    """Return a function of the seed for each installed model; the settings favour speed."""
    makers: dict[str, Callable[[int], Any]] = {
        "random forest": lambda seed: _on_numbers(RandomForestClassifier(100, random_state=seed)),
        "extra trees": lambda seed: _on_numbers(ExtraTreesClassifier(100, random_state=seed)),
        "AdaBoost": lambda seed: _on_numbers(AdaBoostClassifier(n_estimators=50, random_state=seed)),
        "SVC": lambda seed: _on_numbers(SVC(random_state=seed)),
        "naive Bayes": lambda _: _on_numbers(GaussianNB(var_smoothing=1e-6)),
        "MLP": lambda seed: _on_numbers(MLPClassifier((32,), max_iter=100, random_state=seed)),
        "B-PETs": lambda seed: BPETsClassifier(n_trees=50, random_state=seed),
        "EB-PETs": lambda seed: EBPETsClassifier(n_trees=50, random_state=seed),
        "MOB-ESP": lambda seed: MOBESPClassifier(n_trees=50, random_state=seed),
        "boosted stumps": lambda _: BoostedStumpsClassifier(),
    }
    if importlib.util.find_spec("lightgbm"):
        makers["LightGBM"] = _lightgbm
    if importlib.util.find_spec("xgboost"):
        makers["XGBoost"] = _xgboost
    if importlib.util.find_spec("catboost"):
        makers["CatBoost"] = _catboost
    return makers


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return _on_numbers(LGBMClassifier(n_estimators=60, n_jobs=1, random_state=seed, verbose=-1))


def _xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return _on_numbers(XGBClassifier(n_estimators=60, n_jobs=1, random_state=seed))


def _catboost(seed: int) -> Any:
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        iterations=80, depth=5, thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False
    )
    return _on_numbers(model)


def _on_numbers(model: Any) -> Any:
    """Return a pipeline that scales, one-hot encodes nominal columns and imputes missing values with the median."""
    numeric = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    nominal = OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=20)
    columns = make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")),
        (nominal, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, model)


def fill(store: Path, names: list[str], chosen: list[str], n_splits: int, max_rows: int) -> None:
    """Compute the missing scores; an interrupted run continues where it stopped."""
    store.mkdir(parents=True, exist_ok=True)
    makers = models()
    for dataset in names:
        table = _rows(dataset)
        for split in range(n_splits):
            for model in chosen:
                path = store / f"{dataset}.{model.replace(' ', '_')}.{split}.npz"
                if not path.exists():
                    _score(path, table, makers[model](split), (dataset, split), max_rows)
        print(f"  {dataset}: {n_splits} splits of {len(chosen)} models", flush=True)


def _rows(dataset: str) -> tuple[Any, NDArray[np.int64]]:
    """Return the features and class codes of the rows whose class is not too rare."""
    table = load(dataset)
    _, codes, counts = np.unique(np.asarray(table.y).astype(str), return_inverse=True, return_counts=True)
    kept = counts[codes] >= MIN_CLASS_ROWS
    return table.X[kept].reset_index(drop=True), np.unique(codes[kept], return_inverse=True)[1]


def _score(path: Path, table: tuple[Any, Any], model: Any, key: tuple[str, int], max_rows: int) -> None:
    X, codes = table
    seed = zlib.crc32(f"{key[0]} {key[1]}".encode())
    n_train = min(max_rows, len(codes) * 2 // 3)
    n_test = min(2 * max_rows, len(codes) - n_train)
    train, test = train_test_split(
        np.arange(len(codes)), train_size=n_train, test_size=n_test, stratify=codes, random_state=seed
    )
    is_margin = not hasattr(model, "predict_proba")
    method = "decision_function" if is_margin else "predict_proba"
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held_out = cross_val_predict(clone(model), X.iloc[train], codes[train], cv=folds, method=method)
        tested = getattr(model.fit(X.iloc[train], codes[train]), method)(X.iloc[test])
    partial = path.with_suffix(".half.npz")
    np.savez_compressed(
        partial,
        scores=_columns(held_out, is_margin),
        codes=codes[train],
        test_scores=_columns(tested, is_margin),
        test_codes=codes[test],
        is_margin=is_margin,
    )
    partial.rename(path)


def _columns(scores: Any, is_margin: bool) -> NDArray[np.float64]:
    table = np.asarray(scores, dtype=np.float64)
    table = table.reshape(len(table), -1)
    return table[:, 1:] if table.shape[1] == 2 and not is_margin else table


def cells(store: Path) -> Iterator[Cell]:
    """Yield every cell of a store, in the order of file names."""
    for path in sorted(store.glob("*.npz")):
        if path.name.endswith(".half.npz"):
            continue
        dataset, model, split = path.name.removesuffix(".npz").rsplit(".", 2)
        with np.load(path) as stored:
            yield Cell(
                dataset,
                model.replace("_", " "),
                int(split),
                stored["scores"],
                stored["codes"],
                stored["test_scores"],
                stored["test_codes"],
                bool(stored["is_margin"]),
            )
