"""Zadrozny & Elkan (2001): official files, metrics, published figures, stored findings, and a small run."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.exceptions import ReadError
from calibrant.papers import PaperTable, get_paper, reproduce
from calibrant.papers._zadrozny import studies
from calibrant.papers._zadrozny.comparisons import JudgedData, Measured
from calibrant.papers._zadrozny.findings import Checked, conclude
from calibrant.papers._zadrozny.kdd98 import (
    OFFICIAL,
    case_control,
    expected_gifts,
    find_official_files,
    learning_set,
    read_mailing,
    read_official_files,
    thinned,
)
from calibrant.papers._zadrozny.methods import ShiftedClassifier
from calibrant.papers._zadrozny.published import LOG_LOSS, MSE, MSE_COIL, PROFIT
from calibrant.papers._zadrozny.studies import n_scores, profit_per_person
from calibrant.studies import Study
from calibrant.trees import ProbabilityTreeClassifier

STORED = Path(__file__).resolve().parents[2] / "docs" / "papers" / "zadrozny_elkan_2001"
LEARNING = """\
ODATEDW,OSOURCE,INCOME,PEPSTRFL,FISTDATE,LASTDATE,NGIFTALL,NUMPROM,LASTGIFT,AVGGIFT,RFA_2F,RFA_2A,CONTROLN,TARGET_B,TARGET_D
8901,GRI, ,X,8911,9512,31,74,10,7.74,4,E,95515,0,0
9401,BOA,6, ,9310,9512,3,32,25,15.66,2,G,148535,1,12.5
9001,AMH,3,X,9001,9512,27,63,5,7.48,4,E,15078,1,8
8701,BRY,1, ,0,9512,16,66,10,6.81,4,E,172556,0,0
"""
TEST = """\
ODATEDW,OSOURCE,INCOME,PEPSTRFL,FISTDATE,LASTDATE,NGIFTALL,NUMPROM,LASTGIFT,AVGGIFT,RFA_2F,RFA_2A,CONTROLN
9701,L16,6, ,9608,9608,2,10,20,12.5,1,F,188946
9601,ENQ, ,X,9512,9603,4,20,8,6.0,3,D,67
"""
TARGETS = "CONTROLN,TARGET_B,TARGET_D\n67,1,9\n188946,0,0\n"


@pytest.fixture
def official_folder(tmp_path: Path) -> Path:
    for name, text in {"cup98LRN.txt": LEARNING, "cup98VAL.txt": TEST, "valtargt.txt": TARGETS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read(folder: Path) -> Any:
    files = find_official_files(folder)
    assert files is not None
    return read_official_files(files, OFFICIAL)


def test_official_files_have_the_learning_rows_first_and_their_seven_attributes(official_folder: Path) -> None:
    mailing = read(official_folder)
    assert list(mailing.X) == ["INCOME", "FISTDATE", "LASTDATE", "GIFTS_PER_PROMOTION", "RFA_2F", "RFA_2A", "PEPSTRFL"]
    assert [part.tolist() for part in mailing.split] == [[0, 1, 2, 3], [4, 5]]
    assert mailing.X["RFA_2A"].tolist() == ["E", "G", "E", "E", "F", "D"]
    assert mailing.X["PEPSTRFL"].tolist() == ["X", "none", "X", "none", "none", "X"]
    assert mailing.weight is None


def test_a_blank_field_of_the_official_files_is_missing_and_dates_are_months(official_folder: Path) -> None:
    X = read(official_folder).X
    assert X["INCOME"].isna().tolist() == [True, False, False, False, False, True]
    assert X["FISTDATE"].tolist()[:3] == [12 * 89 + 11, 12 * 93 + 10, 12 * 90 + 1]
    assert np.isnan(X["FISTDATE"][3])  # 0 is no date
    assert X["GIFTS_PER_PROMOTION"][1] == pytest.approx(3 / 32)


def test_responses_of_the_official_test_rows_are_joined_by_number(official_folder: Path) -> None:
    mailing = read(official_folder)
    assert mailing.y.tolist() == ["0", "1", "1", "0", "0", "1"]
    assert mailing.amount.tolist() == [0, 12.5, 8, 0, 0, 9]


def test_expected_gifts_of_the_official_test_rows_do_not_depend_on_their_responses(official_folder: Path) -> None:
    before = read(official_folder).gifts["profit"]
    (official_folder / "valtargt.txt").write_text(TARGETS.replace("67,1,9", "67,1,900"))
    np.testing.assert_array_equal(read(official_folder).gifts["profit"], before)


def test_a_person_without_a_response_raises(official_folder: Path) -> None:
    (official_folder / "valtargt.txt").write_text("CONTROLN,TARGET_B,TARGET_D\n67,1,9\n")
    with pytest.raises(ReadError, match="one response for each CONTROLN"):
        read(official_folder)


def test_an_official_file_without_a_field_raises(official_folder: Path) -> None:
    (official_folder / "cup98VAL.txt").write_text(TEST.replace("NGIFTALL", "GIFTS"))
    with pytest.raises(ReadError, match=r"cup98VAL\.txt must have the fields"):
        read(official_folder)


def test_all_three_official_files_are_needed(official_folder: Path) -> None:
    (official_folder / "valtargt.txt").unlink()
    assert find_official_files(official_folder) is None
    assert find_official_files(official_folder / "nowhere") is None


def test_no_gift_enters_its_own_expectation() -> None:
    rng = np.random.default_rng(0)
    gifts, y, amount = rng.uniform(1, 20, (200, 2)), rng.permutation(["0", "1"] * 100), rng.uniform(1, 20, 200)
    row = int(np.flatnonzero(y == "1")[0])
    before = expected_gifts(gifts, y, amount)
    amount[row] += 1000
    after = expected_gifts(gifts, y, amount)
    for name in before:
        assert after[name][row] == before[name][row]
        assert (after[name] != before[name]).any()


def test_profit_per_person_is_the_sum_over_those_mailed_for_each_person() -> None:
    amounts: dict[str, Any] = {"amount": [20.0, 0.0, 5.0], "estimated_amount": [10.0, 10.0, 10.0]}
    found = profit_per_person([1, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.99, 0.01]], **amounts)
    assert found == pytest.approx((20 - 0.68 - 0.68) / 3)


def test_a_single_leaf_has_one_score() -> None:
    assert n_scores(None, np.full((5, 2), 0.5)) == 1


def test_shifting_a_tree_fitted_without_weights_is_bayes_rule() -> None:
    X, y = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([0, 0, 0, 1, 0, 1, 1, 1])
    model = ShiftedClassifier(ProbabilityTreeClassifier(estimate="frequency"))
    model.fit(X, y, sample_weight=np.where(y == 1, 1.0, 9.0))  # a tenth instead of half
    odds = 3.0 * (0.1 / 0.9)
    assert model.predict_proba([[1.0]])[0, 1] == pytest.approx(odds / (1 + odds))
    assert model.predict([[1.0]]).tolist() == [0]


def test_published_constants_follow_from_the_counts() -> None:
    """4,843 donors among 95,412 people and 4,873 among 96,367; 348 of 5,822 and 238 of 4,000 on CoIL."""
    for table, rates in ((MSE, (4843 / 95412, 4873 / 96367)), (MSE_COIL, (348 / 5822, 238 / 4000))):
        for zero, one, rate in zip(table["All zero (C4.5 with pruning)"], table["All one"], rates, strict=True):
            assert zero.value == pytest.approx(2 * rate, abs=1e-5)
            assert one.value == pytest.approx(2 * (1 - rate), abs=2e-5)


def test_the_four_tables_have_the_same_thirteen_methods() -> None:
    assert set(MSE) == set(LOG_LOSS) == set(PROFIT) == set(MSE_COIL)
    assert len(MSE) == 13
    assert set(MSE) <= set(get_paper("zadrozny-elkan-2001").methods())


def test_a_finding_holds_if_all_figures_show_it() -> None:
    verdicts = {("holds", "holds"): "holds", ("holds", "undecided", "does not hold"): "does not hold", (): "undecided"}
    for figures, verdict in verdicts.items():
        assert conclude("a", "A.", "Table 1", [Checked(each, "") for each in figures]).verdict == verdict


@pytest.mark.long
@pytest.mark.usefixtures("papers_data")
def test_the_sample_of_the_mailing_stands_for_all_people() -> None:
    """Mailing everybody in the learning set earns $10,788.54, printed as $10,790."""
    mailing = case_control()
    weight = mailing.weight
    assert weight is not None
    assert mailing.amount is not None
    assert weight.sum() == pytest.approx(95_412, abs=1)
    assert mailing.amount.sum() - 0.68 * weight.sum() == pytest.approx(10_788.54, abs=0.5)
    assert mailing.X.shape == (19_372, 7)
    assert learning_set().X.shape == (95_412, 7)


@pytest.mark.usefixtures("papers_data")
def test_a_thinned_sample_has_the_base_rate_without_weights() -> None:
    sample = thinned(case_control(), 0)
    assert (sample.y == "0").sum() == 14_529
    assert (sample.y == "1").mean() == pytest.approx(4843 / 95412, abs=1e-4)
    assert sample.weight is None


@pytest.fixture(scope="module")
def stored() -> dict[str, PaperTable]:
    return {path.stem: PaperTable.from_csv(path) for path in STORED.glob("*.csv") if path.stem != "findings"}


def test_every_stored_finding_follows_from_the_stored_tables(stored: dict[str, PaperTable]) -> None:
    with (STORED / "findings.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    found = get_paper("zadrozny-elkan-2001").findings(stored)
    assert [(each.name, each.verdict, each.evidence) for each in found] == [
        (line["name"], line["verdict"], line["evidence"]) for line in expected
    ]


def test_the_stored_verdicts_are_those_that_the_page_discusses(stored: dict[str, PaperTable]) -> None:
    found = {each.name: each.verdict for each in get_paper("zadrozny-elkan-2001").findings(stored)}
    for name in ("regularized-trees", "laplace-alone", "criterion-benefit", "binning", "single-leaf"):
        assert found[name] == "holds"
    assert found["bagging-is-no-substitute"] == "holds"
    assert found["criterion-difference"] == "does not hold"


def test_the_stored_constants_of_table_4_agree_to_the_last_digit(stored: dict[str, PaperTable]) -> None:
    for row in ("All base rate", "All zero (C4.5 with pruning)", "All one"):
        for part in ("training", "test"):
            cell = stored["table_4"].cell(row, part, "CoIL")
            assert cell.published is not None
            assert f"{cell.ours:.5f}" == cell.published.text


def test_stored_regularized_trees_are_within_one_percent_of_table_4(stored: dict[str, PaperTable]) -> None:
    for row in ("Curtailment", "Smoothed curtailment", "Smoothing"):
        for part in ("training", "test"):
            cell = stored["table_4"].cell(row, part, "CoIL")
            assert abs(cell.difference) < 0.01 * cell.ours
            assert cell.verdict == "agrees"


def test_few_columns_bring_naive_bayes_on_coil_near_the_paper(stored: dict[str, PaperTable]) -> None:
    cell = stored["table_4_variants"].cell("Naive Bayes", "test", "CoIL, the seven most informative columns")
    assert abs(cell.difference) < 0.012 * cell.ours


def make_official_files(folder: Path, n_rows: int = 400) -> None:
    """Write files of the official shape with people drawn at random, a tenth of whom donate."""
    rng = np.random.default_rng(0)
    n = 2 * n_rows
    donates = rng.random(n) < 0.1
    last = rng.choice([5.0, 10.0, 15.0, 25.0], n)
    frame = pd.DataFrame(
        {
            "INCOME": rng.choice(["1", "4", "7", " "], n),
            "PEPSTRFL": np.where(rng.random(n) < 0.3 + 0.4 * donates, "X", " "),
            "FISTDATE": rng.integers(80, 96, n) * 100 + rng.integers(1, 13, n),
            "LASTDATE": 9500 + rng.integers(1, 13, n),
            "NGIFTALL": rng.integers(1, 30, n),
            "NUMPROM": rng.integers(30, 60, n),
            "LASTGIFT": last,
            "AVGGIFT": last * rng.uniform(0.5, 1.0, n),
            "RFA_2F": np.minimum(1 + rng.poisson(1 + donates), 4),
            "RFA_2A": rng.choice(["D", "E", "F", "G"], n),
            "CONTROLN": rng.permutation(n),
            "TARGET_B": donates.astype(int),
            "TARGET_D": np.where(donates, last + rng.uniform(0, 5, n), 0.0).round(2),
        }
    )
    targets = ["TARGET_B", "TARGET_D"]
    frame[:n_rows].to_csv(folder / "cup98LRN.txt", index=False)
    frame[n_rows:].drop(columns=targets).to_csv(folder / "cup98VAL.txt", index=False)
    frame[n_rows:][["CONTROLN", *targets]].sample(frac=1, random_state=0).to_csv(folder / "valtargt.txt", index=False)


def test_official_files_are_run_on_their_own_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_official_files(tmp_path, 300)
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    mailing, store = read_mailing(), tmp_path / "trials.db"
    specs = studies._mailing_studies(mailing, studies.Amount(2, 2, 2))
    found = {name: Study(name, store=store, **each) for name, each in specs.items()}
    assert set(found) == {"kdd98", "kdd98 splits", "kdd98 sweep", "kdd98 scores"}  # no weights to shift
    for name in ("kdd98", "kdd98 splits"):
        assert found[name].run().is_complete
    judged = JudgedData(*(Measured(found[name].results()) for name in ("kdd98", "kdd98 splits")))
    assert judged.is_one_split
    zero = judged.judged_cell("All zero (C4.5 with pruning)", "mse", "test", MSE["All one"][1], "")
    assert zero.ours == pytest.approx(2 * (mailing.y[300:] == "1").mean())
    one = judged.judged_cell("All one", "profit", "test", PROFIT["All one"][1], "")
    everybody = (mailing.amount[300:].sum() - 300 * 0.68) / 300 * 96_367
    assert one.ours == pytest.approx(everybody)
    assert one.error > 0


@pytest.mark.long
def test_a_small_run_with_official_files_writes_every_table_and_figure(
    tmp_path: Path, papers_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("MANIFEST.json", "coil2000.parquet"):
        shutil.copy(papers_data / name, data / name)
    make_official_files(data)
    monkeypatch.setenv("CALIBRANT_DATA", str(data))
    monkeypatch.setattr(studies, "SIZES", {"quick": studies.Amount(2, 2, 2)})
    made = reproduce("zadrozny-elkan-2001", size="quick", out=tmp_path / "out", workers=1)
    assert {each.name for each in made.pictures} == {*(f"figure_{number}" for number in range(1, 6)), "sweep"}
    tables = {each.name: each for each in made.tables}
    assert {"table_1", "table_2", "table_3", "table_4", "figure_4", "figure_5", "comparisons"} <= set(tables)
    assert tables["table_1"].blocks == (OFFICIAL,)  # no held-out design beside them
    assert tables["table_3"].cell("All zero (C4.5 with pruning)", "test", OFFICIAL).ours == 0
    assert len(made.findings) >= 15
