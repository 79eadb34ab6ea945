"""The command ``calibrant fit``."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.errors import as_command_line
from calibrant.cli._app.files import STDIN, STDOUT, check_writable, read_table, write_errors
from calibrant.cli._app.options import (
    Json,
    PlanWords,
    Strict,
    TableFile,
    TestTable,
    TimeColumn,
    complete_columns,
    reads_table,
    usage_error,
)
from calibrant.cli._app.printing import print_json, print_note, print_text
from calibrant.exceptions import DataError, TableCheckError, nearest

if TYPE_CHECKING:
    from calibrant.data import Table
    from calibrant.files import ExpectedScore
    from calibrant.studies._internal import ComparedTable

_METHOD = (
    "probability, base_rate, naive_bayes, logistic, tree, forest, b_pets, eb_pets, mob_esp, boosted, stumps, "
    "lazy_trees, neighbors, neural_net, svm, or an import path such as sklearn.naive_bayes.GaussianNB."
)
_PARAM = "A parameter of the method, such as max_depth=3; again for more."
_CALIBRATE = "Calibrate by auto, platt, isotonic, beta, venn_abers, temperature, …, fitted to held-out rows."
_GROUPS = "The column of rows that belong together, such as the patient."
_ESTIMATE = "Cross-validate (5 folds) for the score to expect, of methods that do not know it themselves."
_METRIC = "log_loss"
_CONFIDENCE = 0.95
_CROSS_FITTED = "cross-fitted"
_FOLDS = 5  # at most as many as the rarest class has rows


@reads_table
def fit(
    data: TableFile,
    out: Annotated[str, typer.Option(metavar="MODEL", help="The model file, such as model.calibrant.")],
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The class column; by default the last one.", autocompletion=complete_columns),
    ] = None,
    method: Annotated[str, typer.Option(help=_METHOD)] = "probability",
    param: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=_PARAM)] = None,
    calibrate: Annotated[str | None, typer.Option(metavar="CALIBRATOR", help=_CALIBRATE)] = None,
    positive: Annotated[str | None, typer.Option(metavar="CLASS", help="The class of interest, of two.")] = None,
    weight: Annotated[str | None, typer.Option(metavar="COL", help="The weight of each row.")] = None,
    groups: Annotated[str | None, typer.Option(metavar="COL", help=_GROUPS)] = None,
    time: TimeColumn = None,
    plan: PlanWords = None,
    test: TestTable = None,
    estimate: Annotated[bool, typer.Option("--estimate", help=_ESTIMATE)] = False,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the method and of folds.")] = 0,
    strict: Strict = False,
    compress: Annotated[bool, typer.Option("--compress", help="Write a smaller file.")] = False,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Fit a method to a table and write the model to a file.

    $ calibrant fit donors.csv --target gives --out model.calibrant
    $ calibrant fit donors.csv --target gives --method forest --calibrate auto --out forest.calibrant
    $ calibrant fit donors.csv --target gives --method tree --param honest=true --param min_leaf=20 --out tree.calibrant

    Columns with a different value in every row look like ids and are left out. The file holds no code: what it says of
    itself is printed by calibrant inspect.
    """
    if out == STDOUT:
        raise usage_error("a model file is not text; name a file.", "--out")
    from sklearn.base import clone

    from calibrant.cli._models.methods import hold_out_by_time, make_method
    from calibrant.files import save
    from calibrant.studies._internal import ComparedTable

    check_writable(out)
    estimator = make_method(method, param or [], calibrate, seed)
    source: Any = read_table(STDIN, target=target, drop_ids=True, **reading) if data == STDIN else data
    compared = ComparedTable.read(source, target=target, positive=positive, groups=groups, time=time, reading=reading)
    if compared.check.findings and strict:
        raise TableCheckError(f"{compared.check!r}\nNothing was learned, because --strict is set.")
    apart = None if test is None else compared.read_test(test)
    if weight is not None:
        compared = replace(compared, table=_with_weight(compared.table, weight))
    folds = f"{min(_FOLDS, compared.n_rarest)}" if estimate and time is None else None
    words = plan or folds
    split = compared.plan(words, seed) if words or time is not None else None
    fitted, notes = _fitted(hold_out_by_time(estimator, split), compared, estimate=words is not None)
    expected, how = _expected_score(fitted, compared, split, is_requested=words is not None, apart=apart)
    is_own = how.startswith(_CROSS_FITTED)  # which the file has by itself
    lines = _further_lines(estimator, fitted, compared, split, expected, seed, apart)
    with write_errors(out):
        described = save(
            fitted, out, compress=compress, made_from=compared.table, expected=None if is_own else expected
        )
    made = {"data": data, "out": out, "seed": seed, "n_bytes": described.n_bytes}
    made |= {"fingerprint": described.made_from.fingerprint, "sha256": described.sha256}
    made |= {"method": " ".join(repr(clone(fitted)).split()), "weight": weight}
    if as_json:
        score = None if expected is None else {**vars(expected), "how": how}
        notes = list(map(as_command_line, (*compared.table.notes, *notes)))
        print_json({**made, **_document(compared), "expected": score, "further": lines, "notes": notes})
    else:
        text = "" if expected is None else f"expected {expected}, {how}"
        _print(made, compared, [text, *lines], [*notes, *described.notes])


def _document(compared: ComparedTable) -> dict[str, Any]:
    table = compared.table
    return {
        "table": table.name,
        "n_rows": table.n_rows,
        "target": compared.target,
        "groups": compared.groups_column,
        "time": compared.time_column,
        "classes": table.class_counts,
        "kinds": dict(table.kinds),
        "left_out": [] if table.extra is None else [str(name) for name in table.extra],
        "check": compared.check.to_dict()["findings"],
    }


def _print(made: dict[str, Any], compared: ComparedTable, expected: list[str], notes: list[str]) -> None:
    for finding in compared.check.of_kind("leak"):
        print_note(f"Warning: {finding}")
    for line in compared.lines:
        print_text(as_command_line(line))
    if brief := compared.check.brief:
        print_note(f"Note: {brief}; calibrant check has the evidence, and what to do.")
    if made["weight"] is not None:
        print_text(f"weights: {made['weight']!r}")
    print_text(f"method: {made['method']} (seed {made['seed']})")
    if expected[0]:
        for line in expected:
            print_text(line)
    else:
        print_note(
            "Note: the score to expect is not known; --estimate cross-validates, calibrant compare ranks methods."
        )
    for note in notes:
        print_note(f"Note: {as_command_line(note)}")
    print_text(f"{made['out']}: {made['n_bytes']:,} bytes")


def _fitted(method: Any, compared: ComparedTable, *, estimate: bool) -> tuple[Any, list[str]]:
    """Return an estimator fitted to a table, with notes on what it does not take and what it warned of."""
    from sklearn.utils.validation import has_fit_parameter

    table = compared.table
    words = {"groups": "groups", "sample_weight": "weights", "times": "times"}
    rows = {"groups": compared.groups, "sample_weight": table.sample_weight, "times": compared.times}
    known = {name: each for name, each in rows.items() if each is not None}
    passed = {name: each for name, each in known.items() if has_fit_parameter(method, name)}
    use = "they count in the estimate only" if estimate else "they are not used"
    unused = [name for name in known if name not in passed and name != "times"]  # these are for held-out rows alone
    notes = [f"The method takes no {words[name]}; {use}." for name in unused]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", r".* left out: free text")  # a note of the table says so
        model = method.fit(table.X, table.y, **passed)
    notes += dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, UserWarning))
    return model, notes


def _expected_score(
    model: Any, compared: ComparedTable, plan: Any, *, is_requested: bool, apart: ComparedTable | None
) -> tuple[ExpectedScore | None, str]:
    """Return the log-loss to expect with its interval, and how it is known; None where it is not.

    A table kept apart comes first, then a plan that was requested. A blend knows it by itself, a forest has the
    probabilities of rows out of bag, which say nothing of the future: by time other methods are tested by the plan.
    """
    from calibrant.files import ExpectedScore
    from calibrant.resampling._internal import splitters

    if apart is not None:
        score = _of_rows(model.predict_proba(apart.table.X), apart, model.classes_)
        return score, f"on the {apart.table.n_rows:,} rows of {apart.table.name}, kept apart"
    own = getattr(model, "expected_log_loss_", None)
    if own is not None and not is_requested:
        how = "by time: on rows that follow" if own.is_by_time else "for new rows like these"
        return ExpectedScore(_METRIC, own.value, own.low, own.high, own.confidence), f"{_CROSS_FITTED} {how}"
    if plan is not None:
        from sklearn.base import clone

        found = compared.score(clone(model), plan, _METRIC)
        return ExpectedScore(_METRIC, found.value, found.low, found.high, _CONFIDENCE), splitters.describe(plan)
    is_ensemble = type(model).__module__.startswith("calibrant.ensembles")
    out_of_bag = getattr(model, "oob_proba_", None) if is_ensemble else None
    how = "out of bag, for new rows like these"
    return (None, "") if out_of_bag is None else (_of_rows(out_of_bag, compared, model.classes_), how)


def _further_lines(
    method: Any,
    model: Any,
    compared: ComparedTable,
    plan: Any,
    expected: ExpectedScore | None,
    seed: int,
    apart: ComparedTable | None,
) -> list[str]:
    """Return the verdict on a table kept apart, and where there are dates the score by the other plan."""
    lines = []
    if apart is not None:
        from calibrant.metrics import calibration_verdict

        positive = compared.table.positive if len(model.classes_) == 2 else None
        table = apart.table
        rows: dict[str, Any] = {"labels": list(model.classes_), "random_state": seed, "pos_label": positive}
        with suppress(DataError):  # too few rows for a verdict
            verdict = calibration_verdict(apart.labels, model.predict_proba(table.X), **rows)
            lines.append(f"calibration on the rows of {table.name}: {verdict.words}")
    if expected is None:
        return lines
    from sklearn.base import clone

    from calibrant.resampling._internal import splitters

    is_by_time = plan is not None and splitters.is_by_time(plan)
    found = compared.score_otherwise(clone(method), _METRIC, seed, is_by_time=is_by_time)
    if found is not None and is_by_time:
        lines.append(f"by shuffled rows {_METRIC} would be {found.value:.4f}, as if the future were known")
    elif found is not None:
        advice = f"if it will predict the future, fit it with --time {found.column}"
        lines.append(f"by time of {found.column!r} {_METRIC} is {found.value:.4f}: {advice}")
    return lines


def _of_rows(proba: Any, compared: ComparedTable, classes: Any) -> ExpectedScore | None:
    """Return the score of the rows whose probabilities are known."""
    import numpy as np

    from calibrant.files import ExpectedScore
    from calibrant.metrics import evaluate

    is_known = ~np.isnan(proba).any(axis=1)
    if not is_known.any():
        return None
    columns = {"sample_weight": compared.table.sample_weight, "groups": compared.groups}
    rows: dict[str, Any] = {
        name: None if each is None else np.asarray(each)[is_known] for name, each in columns.items()
    }
    y = np.asarray(compared.table.y)[is_known]
    score = evaluate(y, proba[is_known], metrics=[_METRIC], confidence=_CONFIDENCE, labels=classes, **rows)[_METRIC]
    return ExpectedScore(_METRIC, score.value, score.low, score.high, _CONFIDENCE)


def _with_weight(table: Table, weight: str) -> Table:
    """Return the table with a column as weights instead of a feature."""
    for frame in (table.X, table.extra):
        if frame is not None and weight in frame:
            if frame[weight].dtype.kind not in "iuf":
                raise DataError(f"weight: the column {weight!r} holds text; weights are numbers of at least 0.")
            if frame is table.X and table.n_features == 1:
                raise DataError(f"weight: {weight!r} is the only column; there is nothing to predict from.")
            X = table.X.drop(columns=[weight]) if frame is table.X else table.X
            values = frame[weight].to_numpy(dtype="float64")
            return replace(table, X=X, kinds={str(name): table.kinds[str(name)] for name in X}, sample_weight=values)
    raise DataError(f"weight: there is no column {weight!r}.{nearest(weight, list(table.X))}")
