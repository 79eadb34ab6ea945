"""The live table of a run: the right figures where somebody is watching, nothing elsewhere."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from typing import Any

import pytest

from calibrant.studies._runners.study_progress import StudyProgress, TrialTimes
from calibrant.studies._trials.records import TrialRecord, TrialRef

rich_console = pytest.importorskip("rich.console")


def ref_of(dataset: str, method: str, split: int) -> TrialRef:
    return TrialRef(f"{dataset}/{method}/{split}", dataset, method, split)


def refs_of(datasets: str, methods: str = "bayes forest", n_splits: int = 10) -> list[TrialRef]:
    return [ref_of(d, m, split) for d in datasets.split() for m in methods.split() for split in range(n_splits)]


def shown(trials: list[TrialRef], states: dict[str, str] | None = None, **options: Any) -> Any:
    console = rich_console.Console(file=io.StringIO(), width=100, force_terminal=True)
    return StudyProgress("leaves", trials, states or {}, n_slots=1, enabled=True, console=console, **options)


def record(ref: TrialRef, seconds: float = 1.0, error: str = "") -> TrialRecord:
    return TrialRecord(ref, "", fit_seconds=seconds, error=error)


def rendered(progress: Any) -> dict[str, list[str]]:
    """Return the cells of each row of the table by the first one."""
    console = rich_console.Console(file=io.StringIO(), width=100)
    console.print(progress.render())
    rows = [line for line in console.file.getvalue().splitlines() if line[:1] in "│┃"]
    cells = [[cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")] for line in rows]
    return {first: rest for first, *rest in cells}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("calibrant.studies._runners.study_progress.time.monotonic", lambda: now[0])
    return now


def test_the_table_counts_trials_by_data_set_and_overall() -> None:
    progress = shown(refs_of("german iris"), {"german/bayes/0": "done", "german/bayes/1": "failed"})
    progress.running(3)
    progress.recorded(record(ref_of("german", "bayes", 2)))
    progress.recorded(record(ref_of("iris", "forest", 0), error="Traceback"))
    progress.recorded_elsewhere([ref_of("iris", "bayes", 0), ref_of("iris", "bayes", 1)])
    found = rendered(progress)
    assert found["data set"] == ["done", "running", "failed", "time left"]
    assert found["german"][:3] == ["2/20", "", "1"]
    assert found["iris"][:3] == ["2/20", "", "1"]
    assert found["all"][:3] == ["4/40", "3", "2"]


def test_one_data_set_is_shown_by_method() -> None:
    assert list(rendered(shown(refs_of("german")))) == ["method", "bayes", "forest", "all"]


def test_data_sets_under_way_come_first_and_many_are_summed_up() -> None:
    names = [f"task{number}" for number in range(20)]
    progress = shown(refs_of(" ".join(names), n_splits=1))
    for method in ("bayes", "forest"):
        progress.recorded(record(ref_of("task3", method, 0)))
    progress.recorded(record(ref_of("task4", "bayes", 0)))
    found = rendered(progress)
    assert list(found)[1:3] == ["task4", "task0"]
    assert found["6 more"][0] == "2/12"
    assert found["all"][0] == "3/40"


def test_names_are_not_markup_and_may_be_unicode() -> None:
    assert "[red]größe" in rendered(shown(refs_of("[red]größe iris")))


def test_time_left_follows_the_method_and_data_set(clock: list[float]) -> None:
    progress = shown(refs_of("german"))
    clock[0] = 11.0
    progress.recorded(record(ref_of("german", "bayes", 0), seconds=1.0))
    progress.recorded(record(ref_of("german", "forest", 0), seconds=10.0))
    assert rendered(progress)["all"][3] == "0:01:39"  # nine of 1 s, nine of 10 s


def test_time_left_is_open_before_the_first_trial_and_nothing_after_the_last(clock: list[float]) -> None:
    progress = shown(refs_of("german", "bayes", 1))
    assert rendered(progress)["all"][3] == ""
    clock[0] = 1.0
    progress.recorded(record(ref_of("german", "bayes", 0)))
    assert rendered(progress)["all"][3] == "0:00:00"


def test_unseen_pairs_follow_the_method_and_the_data_set() -> None:
    times = TrialTimes()
    for dataset, factor in (("small", 1.0), ("large", 10.0)):
        times.add((dataset, "bayes"), factor)
    times.add(("small", "forest"), 5.0)
    assert times.expected(("large", "forest")) == pytest.approx(50.0, rel=1e-3)
    assert times.expected(("large", "new")) > times.expected(("small", "new")) > 0
    assert times.expected(("new", "forest")) == pytest.approx(5 * times.expected(("new", "bayes")), rel=1e-3)
    assert TrialTimes().expected(("new", "new")) is None


def test_unseen_pairs_follow_what_was_learned_since() -> None:
    times = TrialTimes()
    times.add(("small", "bayes"), 1.0)
    assert times.expected(("small", "forest")) == pytest.approx(1.0)
    times.add(("large", "forest"), 100.0)
    times.add(("large", "bayes"), 10.0)
    assert times.expected(("small", "forest")) == pytest.approx(10.0, rel=1e-3)


def test_time_left_learns_the_speed_of_the_run() -> None:
    times = TrialTimes()
    for _ in range(1000):
        times.add(("german", "bayes"), 1.0)
    missing = {("german", "bayes"): 100}
    assert times.seconds_left(missing, n_slots=4, elapsed=250.0) == pytest.approx(25.0, rel=0.02)
    assert times.seconds_left(missing, n_slots=4, elapsed=500.0) == pytest.approx(50.0, rel=0.02)


def test_time_left_is_at_least_the_longest_trial() -> None:
    times = TrialTimes()
    times.add(("german", "slow"), 60.0)
    assert times.seconds_left({("german", "slow"): 1}, n_slots=8, elapsed=60.0) == 60.0


def test_trials_of_no_time_have_a_time_left() -> None:
    times = TrialTimes()
    times.add(("german", "bayes"), 0.0)
    assert times.seconds_left({("german", "bayes"): 5}, n_slots=2, elapsed=0.0) == 0.0


def test_the_table_is_drawn_while_it_is_open() -> None:
    console = rich_console.Console(file=io.StringIO(), width=100, force_terminal=True)
    trials = refs_of("german iris")
    with StudyProgress("leaves", trials, {}, n_slots=1, enabled=True, console=console) as progress:
        for ref in trials:
            progress.recorded(record(ref))
    assert "Study 'leaves'" in console.file.getvalue()
    assert "40/40" in console.file.getvalue()


def test_counting_a_trial_is_cheap() -> None:
    with shown(refs_of("german iris", n_splits=100)) as progress:
        before = time.thread_time()
        for _ in range(10_000):
            progress.recorded(record(ref_of("iris", "bayes", 0)))
            progress.running(2)
        assert (time.thread_time() - before) / 10_000 < 100e-6


def test_nothing_is_shown_or_counted_in_a_pipe() -> None:
    script = (
        "from calibrant.studies._runners.study_progress import StudyProgress\n"
        "with StudyProgress('leaves', iter(lambda: 1 / 0, None), {}, n_slots=1) as progress: progress.running(1)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_silence_can_be_requested(capsys: pytest.CaptureFixture[str]) -> None:
    with StudyProgress("leaves", iter(lambda: 1 / 0, None), {}, n_slots=1, enabled=False) as progress:
        progress.running(1)
    assert capsys.readouterr() == ("", "")
