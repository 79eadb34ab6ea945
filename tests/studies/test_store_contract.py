"""The guarantees of every store, on SQLite and on PostgreSQL."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.studies.store_processes import (
    claim_and_die,
    claim_and_wait,
    define,
    fork_and_record,
    new_context,
    record_all,
    run_together,
    share_work,
)
from tests.studies.store_records import STUDY, key_of, make_record

from calibrant.exceptions import ParameterError, StoreError, StudyError
from calibrant.studies._store.leases import Worker
from calibrant.studies._store.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'results.db'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as store:
        store.save_definition(STUDY, {"seed": 0})
        yield store


@pytest.fixture
def worker(store: Store) -> Worker:
    return store.start_worker(STUDY)


# Definitions


def test_a_definition_is_read_as_it_was_saved(store: Store) -> None:
    document = {"plan": {"folds": 10}, "methods": ["a", "ü", "'\""], "x": 0.1}
    store.save_definition("other", document)
    assert store.definition("other") == document


def test_a_study_that_is_not_there_has_no_definition(store: Store) -> None:
    assert store.definition("none") is None


def test_saving_again_replaces_the_definition_and_keeps_the_trials(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0))
    store.save_definition(STUDY, {"seed": 1})
    assert store.definition(STUDY) == {"seed": 1}
    assert len(store.trials(STUDY)["key"]) == 1


def test_studies_are_summarized_by_name(store: Store, worker: Worker) -> None:
    store.save_definition("a", {})
    store.record(STUDY, worker, make_record(0))
    store.record(STUDY, worker, make_record(1, error="Traceback", scores={}))
    first, second = store.studies()
    assert (first.name, first.n_trials, first.n_failed) == ("a", 0, 0)
    assert (second.name, second.n_trials, second.n_failed) == (STUDY, 2, 1)
    assert second.created <= second.updated


def test_an_unknown_study_is_an_error_that_names_the_nearest(store: Store) -> None:
    with pytest.raises(StudyError, match=r"no study 'tree' in .* Did you mean 'trees'"):
        store.trials("tree")


def test_deleting_a_study_removes_its_trials_and_no_other(store: Store, worker: Worker) -> None:
    store.save_definition("other", {})
    other = store.start_worker("other")
    store.record(STUDY, worker, make_record(0, predictions=b"p"))
    store.record("other", other, make_record(0, predictions=b"q"))
    store.claim(STUDY, worker, [key_of(1)])
    store.delete(STUDY)
    assert [study.name for study in store.studies()] == ["other"]
    assert store.predictions("other", "data 0", "tree") == [(0, b"q")]


def test_recording_into_a_deleted_study_is_an_error(store: Store, worker: Worker, url: str) -> None:
    store.record(STUDY, worker, make_record(0))
    with Store.open(url) as another:
        another.delete(STUDY)
    with pytest.raises(StudyError, match="deleted from the store"):
        store.record(STUDY, worker, make_record(1))


@pytest.mark.parametrize(
    "name", ["ünï-çødé 研究 🎲", 'it\'s "quoted" %s :x $NOW; DROP TABLE', "x" * 20_000, " ", "a\nb"]
)
def test_names_may_be_any_text(store: Store, worker: Worker, name: str) -> None:
    record = make_record(0)
    ref = dataclasses.replace(record.ref, dataset=name, method=name)
    store.save_definition(name, {name: name})
    store.record(STUDY, worker, dataclasses.replace(record, ref=ref, scores={"test": {name: 0.5}}))
    columns = store.trials(STUDY, [name])
    assert (columns["dataset"][0], columns["method"][0], columns["test", name][0]) == (name, name, 0.5)
    assert store.definition(name) == {name: name}


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_a_database_cannot_keep_are_an_error(store: Store, name: str) -> None:
    with pytest.raises(ParameterError, match="NUL"):
        store.save_definition(name, {})


def test_a_study_can_be_deleted_while_trials_are_recorded(store: Store, url: str) -> None:
    outcomes: list[str] = []

    def record() -> None:
        with Store.open(url) as another, suppress(StudyError):
            worker = another.start_worker(STUDY)
            for number in range(10_000):
                outcomes.append(another.record(STUDY, worker, make_record(number)))  # noqa: PERF401 - seen outside

    with ThreadPoolExecutor(1) as pool:
        recording = pool.submit(record)
        while len(outcomes) < 5 and not recording.done():
            time.sleep(0.01)
        store.delete(STUDY)
        recording.result(60)
    assert set(outcomes) == {"recorded"}
    assert store.studies() == []


# Recording


def test_a_trial_is_read_as_it_was_recorded(store: Store, worker: Worker) -> None:
    record = make_record(13, choice="chosen", shared_seconds=0.125, n_sharing=8)
    assert store.record(STUDY, worker, record) == "recorded"
    trial = store.trials(STUDY)
    assert (trial["key"][0], trial["dataset"][0], trial["method"][0], trial["split"][0]) == (
        key_of(13),
        "data 3",
        "tree",
        1,
    )
    assert (trial["split_name"][0], trial["seed"][0], trial["versions"][0]) == ("fold 1", 13, dict(record.versions))
    assert (trial["fingerprint"][0], trial["n_train"][0], trial["n_test"][0]) == ("digest 3", 90, 10)
    assert (trial["fit_seconds"][0], trial["predict_seconds"][0], trial["shared_seconds"][0]) == (0.5, 0.25, 0.125)
    assert (trial["n_sharing"][0], trial["choice"][0], trial["error"][0], trial["state"][0]) == (
        8,
        "chosen",
        "",
        "done",
    )


def test_values_are_kept_to_the_last_bit(store: Store, worker: Worker) -> None:
    values = {"a": 1 / 3, "b": 5e-324, "c": 1.7976931348623157e308, "d": math.inf, "e": -math.inf}
    store.record(STUDY, worker, make_record(0, scores={"test": values}))
    assert {metric: store.trials(STUDY, [metric])["test", metric][0] for metric in values} == values


def test_a_value_that_is_not_a_number_is_recorded_and_read_as_nan(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0))
    assert math.isnan(store.trials(STUDY, ["auc"])["test", "auc"][0])
    assert store.finished(STUDY, {"test": ["auc"]}) == {key_of(0): "done"}


def test_scores_on_training_rows_are_kept_apart(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(7))
    columns = store.trials(STUDY, ["brier"], ["test", "training"])
    assert (columns["test", "brier"][0], columns["training", "brier"][0]) == (1.0, 0.0)


def test_the_first_record_of_a_key_wins(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(1))
    second = make_record(1, by="second", scores={"test": {"brier": 99.0, "auc": 99.0}})
    assert store.record(STUDY, worker, second) == "already there"
    assert store.trials(STUDY, ["brier"])["test", "brier"][0] == 1 / 7


def test_a_trial_that_was_computed_twice_is_counted(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(1))
    assert store.computed_twice(STUDY) == 0
    store.record(STUDY, worker, make_record(1, by="second"))
    store.record(STUDY, worker, make_record(1, by="third"))
    assert store.computed_twice(STUDY) == 2


def test_a_record_that_is_sent_twice_counts_once(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(1))
    assert store.record(STUDY, worker, make_record(1)) == "already there"
    store.record(STUDY, worker, make_record(1, by="second"))
    store.record(STUDY, worker, make_record(1, by="second"))
    assert store.computed_twice(STUDY) == 1


def test_metrics_that_a_trial_lacks_are_added_and_the_others_kept(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(1))
    more = make_record(1, by="second", scores={"test": {"brier": 99.0, "log": 2.0}}, predictions=b"p")
    assert store.record(STUDY, worker, more) == "supplemented"
    columns = store.trials(STUDY, ["brier", "log"])
    assert (columns["test", "brier"][0], columns["test", "log"][0]) == (1 / 7, 2.0)
    assert store.predictions(STUDY, "data 1", "tree") == [(0, b"p")]
    assert store.computed_twice(STUDY) == 0


def test_a_supplement_that_is_sent_twice_does_not_count_as_computed_twice(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(1))
    more = make_record(1, by="second", scores={"test": {"log": 2.0}})
    assert [store.record(STUDY, worker, more) for _ in range(2)] == ["supplemented", "supplemented"]
    assert store.computed_twice(STUDY) == 0
    assert store.record(STUDY, worker, dataclasses.replace(more, token="third")) == "already there"  # noqa: S106
    assert store.computed_twice(STUDY) == 1


def test_a_failed_trial_is_recorded_with_its_traceback(store: Store, worker: Worker) -> None:
    error = "Traceback:\n  ValueError: \0 ü \ud800"
    store.record(STUDY, worker, make_record(0, error=error, scores={}))
    columns = store.trials(STUDY, ["brier"])
    assert columns["state"][0] == "failed"
    assert columns["error"][0] == "Traceback:\n  ValueError: \\x00 ü \\ud800"
    assert math.isnan(columns["test", "brier"][0])


def test_a_failed_trial_is_not_supplemented(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0, error="Traceback", scores={}))
    assert store.record(STUDY, worker, make_record(0, by="second")) == "already there"
    assert store.finished(STUDY) == {key_of(0): "failed"}


def test_a_forgotten_trial_can_be_recorded_again(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0, error="Traceback", scores={}))
    store.record(STUDY, worker, make_record(1))
    store.forget(STUDY, [key_of(0), "unknown"])
    assert store.finished(STUDY) == {key_of(1): "done"}
    assert store.record(STUDY, worker, make_record(0, by="second")) == "recorded"


def test_predictions_are_read_by_data_set_and_method_in_the_order_of_splits(store: Store, worker: Worker) -> None:
    for number in (20, 0, 10, 1):
        store.record(STUDY, worker, make_record(number, predictions=bytes([number, 0, 255])))
    splits = [(0, b"\x00\x00\xff"), (1, b"\x0a\x00\xff"), (2, b"\x14\x00\xff")]
    assert store.predictions(STUDY, "data 0", "tree") == splits
    assert store.predictions(STUDY, "data 0", "none") == []


def test_a_trial_without_a_needed_metric_is_incomplete(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0))
    store.record(STUDY, worker, make_record(1, scores={"test": {"brier": 0.1}}))
    store.record(STUDY, worker, make_record(2, scores={}, error="Traceback"))
    needed = {"test": ["brier", "auc"], "training": ["brier"]}
    assert store.finished(STUDY, needed) == {key_of(0): "done", key_of(1): "incomplete", key_of(2): "failed"}
    assert store.finished(STUDY, {"test": ["never computed"]})[key_of(0)] == "incomplete"


def test_a_trial_without_needed_predictions_is_incomplete(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0, predictions=b"p"))
    store.record(STUDY, worker, make_record(1))
    assert store.finished(STUDY, predictions=True) == {key_of(0): "done", key_of(1): "incomplete"}


def test_trials_are_sorted_by_data_set_method_and_split(store: Store, worker: Worker) -> None:
    for number in (21, 1, 20, 11, 0):
        store.record(STUDY, worker, make_record(number))
    columns = store.trials(STUDY)
    assert list(zip(columns["dataset"], columns["split"], strict=True)) == [
        ("data 0", 0), ("data 0", 2), ("data 1", 0), ("data 1", 1), ("data 1", 2)
    ]  # fmt: skip


def test_a_study_without_trials_has_empty_columns(store: Store) -> None:
    columns = store.trials(STUDY, ["brier"])
    assert {column.shape for column in columns.values()} == {(0,)}


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.studies()


# Claims


def test_a_trial_is_claimed_by_one_worker(store: Store, worker: Worker) -> None:
    other = store.start_worker(STUDY)
    assert store.claim(STUDY, worker, ["b", "a"]) == ["b", "a"]
    assert store.claim(STUDY, other, ["a", "c"]) == ["c"]
    assert store.claim(STUDY, worker, ["a", "b", "c"]) == ["a", "b"]


def test_finished_trials_cannot_be_claimed_but_incomplete_ones_can(store: Store, worker: Worker) -> None:
    store.record(STUDY, worker, make_record(0))
    store.record(STUDY, worker, make_record(1, error="Traceback", scores={}))
    keys = [key_of(0), key_of(1), key_of(2)]
    assert store.claim(STUDY, worker, keys) == [key_of(2)]
    assert store.claim(STUDY, worker, keys, needed={"test": ["brier"]}) == [key_of(2)]
    assert store.claim(STUDY, worker, keys, needed={"test": ["brier", "log"]}) == [key_of(0), key_of(2)]


def test_recording_ends_the_claim(store: Store, worker: Worker) -> None:
    store.claim(STUDY, worker, [key_of(0), key_of(1)])
    store.record(STUDY, worker, make_record(0))
    assert [status.n_claims for status in store.workers(STUDY)] == [1]
    assert store.claim(STUDY, worker, [key_of(0), key_of(1)]) == [key_of(1)]


def test_a_worker_that_ends_releases_its_trials(store: Store, worker: Worker) -> None:
    other = store.start_worker(STUDY)
    store.claim(STUDY, worker, ["a"])
    store.end_worker(worker)
    assert store.claim(STUDY, other, ["a"]) == ["a"]
    assert [status.state for status in store.workers(STUDY)] == ["ended", "alive"]


def test_a_lease_that_is_not_renewed_expires(store: Store) -> None:
    silent, other = store.start_worker(STUDY, lease=0.0), store.start_worker(STUDY)
    store.claim(STUDY, silent, ["a"])
    assert store.workers(STUDY)[0].state == "expired"
    assert store.claim(STUDY, other, ["a"]) == ["a"]


def test_a_heartbeat_renews_the_lease(store: Store) -> None:
    worker = store.start_worker(STUDY, lease=60.0)
    silent = store.workers(STUDY)[0].seconds_silent
    store.heartbeat(worker)
    assert store.workers(STUDY)[0].seconds_silent < silent + 60.0
    assert store.workers(STUDY)[0].state == "alive"


# Several processes


def test_processes_share_the_work_and_compute_nothing_twice(store: Store, url: str) -> None:
    shares = run_together(share_work, [(url, 60)] * 3)
    assert sorted(number for share in shares for number in share) == list(range(60))
    assert store.computed_twice(STUDY) == 0
    assert len(store.trials(STUDY)["key"]) == 60
    assert not any(status.n_claims for status in store.workers(STUDY))


def test_a_trial_that_several_processes_record_is_recorded_once(store: Store, url: str) -> None:
    outcomes = run_together(record_all, [(url, 25, by) for by in ("a", "b", "c")])
    for of_trial in zip(*outcomes, strict=True):
        assert sorted(of_trial) == ["already there", "already there", "recorded"]
    assert (len(store.trials(STUDY)["key"]), store.computed_twice(STUDY)) == (25, 50)
    assert len(set(store.trials(STUDY, ["brier"])["test", "brier"])) == 25


def test_processes_may_create_a_store_at_the_same_time(url: str) -> None:
    for seen, name in zip(run_together(define, [(url, name) for name in "abc"]), "abc", strict=True):
        assert name in seen
    with Store.open(url, read_only=True) as store:
        assert [study.name for study in store.studies()] == ["a", "b", "c"]


def test_the_trials_of_a_killed_process_are_taken_over_at_once(store: Store, url: str, worker: Worker) -> None:
    process = start(claim_and_die, url, ["a", "b"], 3600.0)
    process.join(60)
    assert [status.state for status in store.workers(STUDY)] == ["alive", "dead"]
    assert store.claim(STUDY, worker, ["a", "b"]) == ["a", "b"]


def test_the_trials_of_a_live_process_are_not_taken(store: Store, url: str, worker: Worker) -> None:
    ready = new_context().Event()
    process = start(claim_and_wait, url, ["a"], ready)
    assert ready.wait(60)
    assert store.claim(STUDY, worker, ["a", "b"]) == ["b"]
    process.kill()
    process.join(60)
    assert store.claim(STUDY, worker, ["a"]) == ["a"]


def test_a_forked_process_makes_its_own_connection(store: Store, url: str) -> None:
    [(n_trials, before, during)] = run_together(fork_and_record, [(url,)])
    assert (n_trials, before, during) == (10, ["recorded"] * 3, ["recorded"] * 4)
    assert len(store.trials(STUDY)["key"]) == 10


def test_threads_may_share_a_store(store: Store, worker: Worker) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = pool.map(lambda number: store.record(STUDY, worker, make_record(number)), range(40))
        assert set(outcomes) == {"recorded"}
    assert len(store.trials(STUDY)["key"]) == 40


def start(function: Callable[..., None], *arguments: Any) -> Any:
    process = new_context().Process(target=function, args=arguments)
    process.start()
    return process
