"""Nielsen's tables: the paper's figures are copied correctly, and a short run prints every row."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture(scope="module")
def script(example):
    return example("nielsen_tables")


@pytest.fixture
def printed(request, script, tmp_path, capsys):
    """Return the output of two trials on a small data set, that of showing the stored results, and those results."""
    request.getfixturevalue("papers_data")
    stored = tmp_path / "stored.json"
    script.main(["--sets", "zoo", "--trials", "2", "--trees", "8", "--out", str(stored)])
    first = capsys.readouterr().out
    script.main(["--read", str(stored)])
    return first, capsys.readouterr().out, json.loads(stored.read_text())


@pytest.mark.parametrize("pair", [0, 2], ids=["EB-PETs", "MOB-ESP"])
def test_the_copied_letters_add_up_to_the_papers_wins_ties_and_losses(script, pair):
    pair = script.PAIRS[pair]
    for metric, record in zip(script.TITLES, script.PAPER_RECORDS[pair], strict=True):
        letters = [script.PAPER[metric, name].letters[pair] for name in script.SETS]
        assert "/".join(str(letters.count(letter)) for letter in "W-L") == record


def test_there_are_twenty_sets_in_the_order_of_the_paper(script):
    assert len(script.SETS) == 20
    assert list(script.SETS) == sorted(script.SETS)


def test_a_short_run_prints_every_row(script, printed):
    out, again, stored = printed
    lines = out.splitlines()
    assert sum(line.startswith("| zoo |") for line in lines) == len(script.TITLES)
    assert sum(" against " in line for line in lines) == 3 * len(script.PAIRS)
    assert sum(line.startswith("- ") for line in lines) == len(script.METHODS) * len(script.TITLES)
    assert again == out
    assert {len(stored["scores"]["zoo"][method]["avll"]) for method in script.METHODS} == {2}


@pytest.mark.usefixtures("papers_data")
def test_a_trial_does_not_depend_on_the_number_of_trials(script):
    def figures(trials):
        return script.run(["zoo"], script.Results(trials, 4, 0, True, {})).of("zoo", "MOB-ESP, unique", "avll")

    np.testing.assert_array_equal(figures(3)[:2], figures(2))


@pytest.mark.usefixtures("papers_data", "capsys")
def test_trials_are_added_to_the_stored_ones(script, tmp_path, monkeypatch):
    stored, whole = tmp_path / "stored.json", tmp_path / "whole.json"
    options = ["--sets", "zoo", "--trees", "4", "--out"]
    script.main([*options, str(whole), "--trials", "4"])
    script.main([*options, str(stored), "--trials", "2"])
    grown = []
    monkeypatch.setattr(script, "one_trial", lambda *args, run=script.one_trial: grown.append(0) or run(*args))
    script.main([*options, str(stored), "--trials", "4"])
    assert len(grown) == 3  # one of them to check that the results are reproduced
    assert json.loads(stored.read_text()) == json.loads(whole.read_text())


@pytest.mark.usefixtures("papers_data", "capsys")
def test_a_stopped_run_stores_complete_trials(script, tmp_path, monkeypatch):
    out, trials = tmp_path / "stored.json", iter(range(3))
    run, results = script.one_trial, script.Results(5, 4, 0, True, {})
    monkeypatch.setattr(script, "STORE_EVERY", 1)
    monkeypatch.setattr(script, "one_trial", lambda *args: next(trials) + 1 and run(*args))
    with pytest.raises((StopIteration, RuntimeError)):
        script.run(["zoo"], results, out)
    assert script.Results.read(out).n_done("zoo") == 3


@pytest.mark.usefixtures("papers_data", "capsys")
def test_trials_are_not_added_to_other_settings_or_results(script, tmp_path):
    out = tmp_path / "stored.json"
    options = ["--sets", "zoo", "--out", str(out)]
    script.main([*options, "--trees", "4", "--trials", "2"])
    with pytest.raises(SystemExit, match="Use another file"):
        script.main([*options, "--trees", "5", "--trials", "3"])
    stored = json.loads(out.read_text())
    stored["scores"]["zoo"]["B-PETs"]["mse01"][0] += 0.1
    out.write_text(json.dumps(stored))
    with pytest.raises(SystemExit, match="start with a new file"):
        script.main([*options, "--trees", "4", "--trials", "3"])


@pytest.mark.usefixtures("papers_data")
def test_the_common_vote_changes_the_accuracy_of_b_pets_only(script):
    own, common = (script.run(["soybean"], script.Results(2, 4, 0, True, {}, vote)).scores for vote in (False, True))
    changed = {
        (method, metric)
        for method, figures in own["soybean"].items()
        for metric in figures
        if figures[metric] != common["soybean"][method][metric]
    }
    assert changed == {("B-PETs", "delta_accuracy")}


def test_parameters_of_trees_are_strings_or_json(script):
    assert script._param("threshold=midpoint") == ("threshold", "midpoint")
    assert script._param("mdl_penalty=false") == ("mdl_penalty", False)


def test_a_figure_differs_beyond_two_errors_and_the_rounding_only(script):
    mean = script.Mean.of(np.array([0.1, 0.2, 0.3]))
    assert mean.error == pytest.approx(0.1 / np.sqrt(3))
    assert mean.error_to_paper == pytest.approx(0.1 * np.sqrt(1 / 3 + 1 / 100))
    away = 2 * mean.error_to_paper
    assert not mean.differs(script.Printed(f"{0.2 + away:.3f}"))
    assert mean.differs(script.Printed(f"{0.2 + away + 0.002:.3f}"))
