"""Run examples/nielsen_study.yaml, kill the run twice by SIGKILL, resume it, and write its tables.

    python examples/nielsen_study.py --store nielsen.db --workers 2

`--tables docs/nielsen_study.md` and `--picture docs/pictures/nielsen_ranks.png` renew the page.
With `--reference other.db` the study also runs there, in one go and one process, and the results are compared.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from calibrant.exceptions import CalibrantError
from calibrant.studies import Study, StudyResults

FILE = Path(__file__).with_suffix(".yaml")
METRICS = ("mse", "log_loss", "auc", "error")
KILL_AT = (0.3, 0.7)  # shares of the trials after which the run is killed
POLL_SECONDS = 0.5


def main() -> None:
    options = _parse()
    study = Study.from_file(FILE, store=options.store)
    if options.run:
        study.run(workers=options.workers)
        return
    lines = [*run_and_kill(options)]
    if options.reference:
        lines.append(compare(study, options))
    print("\n".join(lines))
    if options.picture:
        draw(study, options.picture)
    if options.tables:
        options.tables.write_text(replace_tables(options.tables.read_text("utf-8"), study, lines), "utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", default="nielsen.db", help="SQLite file or URL")
    parser.add_argument("--workers", type=int, help="local processes; by default one process does all")
    parser.add_argument("--reference", help="a second store, for a run that nobody kills")
    parser.add_argument("--tables", type=Path, help="Markdown file whose tables are renewed between its comments")
    parser.add_argument("--picture", type=Path, help="PNG file of the mean ranks")
    parser.add_argument("--run", action="store_true", help="only run the study, as the child processes do")
    return parser.parse_args()


def run_and_kill(options: argparse.Namespace) -> Iterator[str]:
    """Run the study in child processes, kill all but the last, and yield what each left."""
    for share in KILL_AT:
        started = time.perf_counter()
        child = start_child(options.store, options.workers)
        wait_until(lambda share=share: done_share(options.store) >= share, child)
        child.send_signal(signal.SIGKILL)
        yield f"{'finished' if child.wait() == 0 else 'killed'} after {_state(started, options.store)}"
    started = time.perf_counter()
    finish(start_child(options.store, options.workers))
    yield f"resumed, and finished after {_state(started, options.store)}"


def _state(started: float, store: str) -> str:
    return f"{time.perf_counter() - started:.0f} s\n{Study.open('nielsen', store).status()}"


def start_child(store: str, workers: int | None) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--run", "--store", store]
    return subprocess.Popen([*command, "--workers", str(workers)] if workers else command)  # noqa: S603


def finish(child: subprocess.Popen[bytes]) -> None:
    if child.wait():
        raise SystemExit(f"the run ended with code {child.returncode}")


def wait_until(is_reached: Callable[[], bool], child: subprocess.Popen[bytes]) -> None:
    while child.poll() is None and not is_reached():
        time.sleep(POLL_SECONDS)


def done_share(store: str) -> float:
    """Return the share of the trials that are done, read while the child writes."""
    try:
        status = Study.open("nielsen", store).status()
    except CalibrantError:  # the child has not made its store yet
        return 0.0
    return status.n_done / status.n_trials


def compare(study: Study, options: argparse.Namespace) -> str:
    """Run the study in one go and one process in a second store, and return how many results are equal to the bit."""
    started = time.perf_counter()
    finish(start_child(options.reference, None))
    seconds = time.perf_counter() - started
    killed, whole = study.results(), Study.from_file(FILE, store=options.reference).results()
    n_values = n_equal = 0
    for dataset in killed.datasets:
        for metric in METRICS:
            ours, theirs = (each.split_values(metric, dataset).view("uint64") for each in (killed, whole))
            n_values, n_equal = n_values + ours.size, n_equal + int((ours == theirs).sum())
    return f"in one go and one process: {seconds:.0f} s; {n_equal:,} of {n_values:,} values are equal to the bit"


def draw(study: Study, picture: Path) -> None:
    """Draw the mean ranks with the critical difference."""
    import matplotlib as mpl

    mpl.use("agg")
    from calibrant.plots import CriticalDifferenceDisplay

    display = CriticalDifferenceDisplay.from_study(study, "mse")
    display.figure_.savefig(picture, dpi=150, bbox_inches="tight")


def replace_tables(text: str, study: Study, lines: list[str]) -> str:
    """Return the page with what stands between its comments renewed."""
    head, _, rest = text.partition("<!-- written by examples/nielsen_study.py -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    written = "\n".join(tables(study.results(), lines))
    return f"{head}<!-- written by examples/nielsen_study.py -->\n{written}\n<!-- end -->\n{tail}"


def tables(results: StudyResults, lines: list[str]) -> Iterator[str]:
    """Yield the lines of the page: the course of the run, means, ranks, wins and losses, the best method."""
    yield from ("## The run", "", "```text", *lines, "```", "")
    yield from (sharing(results), "")
    for metric in METRICS:
        yield from (f"## {metric}", "", results.export(metric=metric, format="markdown", digits=3, bold=True))
        if metric != "log_loss":  # infinite where a leaf has frequencies of 0
            yield from ("```text", repr(results.best(metric)), "```", "")
    yield from ("## Mean ranks", "", *rank_rows(results), "", "```text", repr(results.compare("mse", "nemenyi")), "```")
    yield from ("", "![Mean ranks by mse with the critical difference](pictures/nielsen_ranks.png)", "")
    yield from ("## Wins, ties and losses of MOB-ESP", "", *win_rows(results))


def sharing(results: StudyResults) -> str:
    """Return the seconds of all trials, and what they would have been without sharing."""
    trials = results.to_frame()
    own = float((trials.fit_seconds + trials.predict_seconds).sum())
    shared, alone = (float(each.sum()) for each in (trials.shared_seconds / trials.n_sharing, trials.shared_seconds))
    return (
        f"All trials took {own + shared:.0f} s: {own:.0f} s of their own, and {shared:.0f} s of growing trees and "
        f"forests that several read. Grown for each method anew these would have taken {alone:.0f} s: sharing saved "
        f"{alone - shared:.0f} s, {(alone - shared) / (own + alone):.0%} of {own + alone:.0f} s."
    )


def rank_rows(results: StudyResults) -> Iterator[str]:
    ranks = {metric: results.ranks(metric).mean_ranks for metric in METRICS}
    yield from ("| method | " + " | ".join(METRICS) + " |", "| --- |" + " ---: |" * len(METRICS))
    for method in sorted(results.methods, key=lambda each: ranks["mse"][each]):
        yield f"| {method} | " + " | ".join(f"{ranks[metric][method]:.2f}" for metric in METRICS) + " |"


def win_rows(results: StudyResults) -> Iterator[str]:
    yield from ("| against | mse | auc | error |", "| --- | ---: | ---: | ---: |")
    records: dict[str, list[Any]] = {}
    for metric in ("mse", "auc", "error"):
        for record in results.win_tie_loss(metric, method="MOB-ESP").records:
            records.setdefault(record.competitor, []).append(record)
    for against, found in records.items():
        yield f"| {against} | " + " | ".join(_record_text(each) for each in found) + " |"


def _record_text(record: Any) -> str:
    return f"{record.wins}/{record.ties}/{record.losses} ({record.corrected_wins} and {record.corrected_losses})"


if __name__ == "__main__":
    main()
