"""The paper's findings, checked by Wilcoxon's test over the data sets and by the counts of its own tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from calibrant.papers._nielsen.published_figures import METRIC_TITLES
from calibrant.papers._nielsen.readings import ADDED, B_PETS, COUNTINGS, EB_PETS, MOB_ESP, REMOVED
from calibrant.papers._nielsen.tables import GAIN, P_VALUE, RECORD_TABLES, REMAINING, pair_name
from calibrant.papers._reproduction.finding import Finding, Verdict, all_of, shown_by, with_advice
from calibrant.papers._reproduction.table import PaperTable

_UNSMOOTHED = "Read bagged trees without Laplace's smoothing."
_OUT_OF_BAG = "Do not count out-of-bag rows for their own sake; keep them for honest estimates of performance."
_RANDOM = "Draw columns at random for ranks and accuracy, and calibrate the probabilities."
_TEST = "Compare methods over data sets, or by the corrected test."

ADVICE = {
    "eb-pets-beat-b-pets": "Prefer EB-PETs to B-PETs; expect a small gain.",
    "eb-pets-rank-better": "Prefer EB-PETs to B-PETs where rows are ranked.",
    "mob-esp-ranks-better": "Do not choose MOB-ESP for its ranks.",
    "mob-esp-beats-b-pets": "Use MOB-ESP where squared error or log-loss counts, with a map fitted out of bag.",
    "mob-esp-beats-eb-pets": "Use MOB-ESP where squared error or log-loss counts, with a map fitted out of bag.",
    "eb-pets-beat-mob-esp-on-aulc": "Try EB-PETs first where rows are ranked; the difference is small.",
    "ob-examples-alone": _OUT_OF_BAG,
    "omit-smoothing-alone": _UNSMOOTHED,
    "random-features-rank": _RANDOM,
    "random-features-errors": _RANDOM,
    "ob-examples-in-eb-pets": _OUT_OF_BAG,
    "omit-smoothing-in-eb-pets": _UNSMOOTHED,
    "omit-smoothing-matters-most": _UNSMOOTHED,
    "random-features-in-eb-pets": _RANDOM,
    "mob-esp-with-c45-trees": "Keep nominal columns nominal: MOB-ESP needs no integers.",
    "differences-remain": _TEST,
    "differences-remain-c45": _TEST,
    "unique-counting": "Count in-bag rows either way: the results hardly differ.",
}


Tables = Mapping[str, PaperTable]

_MSE, _AVLL, _AULC, _ACCURACY = METRIC_TITLES.values()
_LEVEL = 0.05
_PAPERS_WAY, _C45 = "", "_c45"
_WHOSE = {"table_3": "", "table_4": " of the removal", "table_5": " of MOB-ESP"}


@dataclass(frozen=True)
class _Claim:
    """A claim that the first of a pair is better than the second by each of some metrics, or that nothing differs."""

    name: str
    statement: str
    source: str
    pairs: Sequence[tuple[str, str]]
    metrics: Sequence[str]
    differs: bool = True
    record: tuple[str, str] | None = None  # the table and row of its wins, ties and losses


_CLAIMS = (
    _Claim(
        "eb-pets-beat-b-pets",
        "EB-PETs have a smaller squared error and log-loss than B-PETs.",
        "Table 2, section 3.3",
        [(EB_PETS, B_PETS)],
        [_MSE, _AVLL],
        record=("table_3", "All (EB-PETs)"),
    ),
    _Claim(
        "eb-pets-rank-better",
        "EB-PETs have a greater area under the lift chart and accuracy than B-PETs.",
        "Table 2, section 3.3",
        [(EB_PETS, B_PETS)],
        [_AULC, _ACCURACY],
        record=("table_3", "All (EB-PETs)"),
    ),
    _Claim(
        "mob-esp-ranks-better",
        "MOB-ESP has a greater area under the lift chart and accuracy than B-PETs.",
        "Table 5, section 3.4",
        [(MOB_ESP, B_PETS)],
        [_AULC, _ACCURACY],
        record=("table_5", B_PETS),
    ),
    _Claim(
        "mob-esp-beats-b-pets",
        "MOB-ESP has a smaller squared error and log-loss than B-PETs.",
        "Table 5, section 3.4",
        [(MOB_ESP, B_PETS)],
        [_MSE, _AVLL],
        record=("table_5", B_PETS),
    ),
    _Claim(
        "mob-esp-beats-eb-pets",
        "MOB-ESP has a smaller squared error and log-loss than EB-PETs.",
        "Tables 5 and 6, section 3.4",
        [(MOB_ESP, EB_PETS)],
        [_MSE, _AVLL],
        record=("table_5", EB_PETS),
    ),
    _Claim(
        "eb-pets-beat-mob-esp-on-aulc",
        "EB-PETs rank better than MOB-ESP: they have the greater area under the lift chart.",
        "Tables 5 and 6, section 3.4",
        [(EB_PETS, MOB_ESP)],
        [_AULC],
        record=("table_5", EB_PETS),
    ),
    _Claim(
        "ob-examples-alone",
        "Counting out-of-bag examples improves B-PETs on all four metrics by itself.",
        "Table 3, section 3.3.1",
        [(ADDED["OB Examples"], B_PETS)],
        [_MSE, _AVLL, _AULC, _ACCURACY],
        record=("table_3", "OB Examples"),
    ),
    _Claim(
        "omit-smoothing-alone",
        "Omitting Laplace's smoothing improves the squared error and log-loss of B-PETs by itself.",
        "Table 3, section 3.3.1",
        [(ADDED["Omit Smoothing"], B_PETS)],
        [_MSE, _AVLL],
        record=("table_3", "Omit Smoothing"),
    ),
    _Claim(
        "random-features-rank",
        "Random features improve the AULC and accuracy of B-PETs by themselves.",
        "Table 3, section 3.3.1",
        [(ADDED["Random Features"], B_PETS)],
        [_AULC, _ACCURACY],
        record=("table_3", "Random Features"),
    ),
    _Claim(
        "random-features-errors",
        "Random features have no obvious effect on the squared error and log-loss of B-PETs by themselves.",
        "Table 3, section 3.3.1",
        [(ADDED["Random Features"], B_PETS)],
        [_MSE, _AVLL],
        differs=False,
        record=("table_3", "Random Features"),
    ),
    _Claim(
        "ob-examples-in-eb-pets",
        "EB-PETs lose squared error and log-loss without out-of-bag examples.",
        "Table 4, section 3.3.1",
        [(EB_PETS, REMOVED["OB Examples"])],
        [_MSE, _AVLL],
        record=("table_4", "OB Examples"),
    ),
    _Claim(
        "omit-smoothing-in-eb-pets",
        "EB-PETs lose squared error and log-loss with Laplace's smoothing.",
        "Table 4, section 3.3.1",
        [(EB_PETS, REMOVED["Omit Smoothing"])],
        [_MSE, _AVLL],
        record=("table_4", "Omit Smoothing"),
    ),
    _Claim(
        "omit-smoothing-matters-most",
        "In EB-PETs the omission of smoothing matters most to squared error and log-loss.",
        "Table 4, section 3.3.1",
        [(REMOVED[each], REMOVED["Omit Smoothing"]) for each in ("OB Examples", "Random Features")],
        [_MSE, _AVLL],
        record=("table_4", "Omit Smoothing"),
    ),
    _Claim(
        "random-features-in-eb-pets",
        "Random features have a large positive effect on the AULC and accuracy of EB-PETs.",
        "Table 4, section 3.3.1",
        [(EB_PETS, REMOVED["Random Features"])],
        [_AULC, _ACCURACY],
        record=("table_4", "Random Features"),
    ),
)


def check_findings(tables: Tables) -> list[Finding]:
    """Return every claim with its verdict, whether wins remain by the corrected test, and how in-bag rows count."""
    findings = [
        *(_check(claim, tables) for claim in _CLAIMS),
        _check_c45(tables),
        *(_check_remaining(tables)),
        _check_counting(tables),
    ]
    return with_advice(findings, ADVICE)


def _check(claim: _Claim, tables: Tables) -> Finding:
    verdicts = [_verdict(tables[f"comparisons{_PAPERS_WAY}"], *each) for each in _comparisons(claim)]
    evidence = "; ".join(_evidence(claim, metric, tables) for metric in claim.metrics)
    return Finding(
        claim.name,
        claim.statement,
        all_of(verdicts) if claim.differs else _none_of(verdicts),
        f"{evidence}.",
        claim.source,
    )


def _comparisons(claim: _Claim) -> Iterator[tuple[tuple[str, str], str]]:
    for metric in claim.metrics:
        for pair in claim.pairs:
            yield pair, metric


def _verdict(table: PaperTable, pair: tuple[str, str], metric: str) -> Verdict:
    """Return whether the first is better beyond sampling error, or the second is, or neither."""
    gain, pvalue = _gain(table, pair, metric)
    return shown_by(pvalue <= _LEVEL and gain > 0, pvalue <= _LEVEL)


def _gain(table: PaperTable, pair: tuple[str, str], metric: str) -> tuple[float, float]:
    """Return the gain of the first of a pair over the second, whichever way the table has it, and its p-value."""
    row, other = pair_name(*pair), pair_name(*pair[::-1])
    sign = 1.0 if row in table.rows else -1.0
    found = row if row in table.rows else other
    return sign * table.cell(found, GAIN, metric).ours, table.cell(found, P_VALUE, metric).ours


def _none_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on the claim that nothing differs, which a test can only contradict."""
    return "undecided" if all(each == "undecided" for each in verdicts) else "does not hold"


def _evidence(claim: _Claim, metric: str, tables: Tables) -> str:
    gains = " and ".join(_gain_text(tables, pair, metric) for pair in claim.pairs)
    return f"{metric}: {gains}" + ("" if claim.record is None else f"; {_record_text(tables, *claim.record, metric)}")


def _gain_text(tables: Tables, pair: tuple[str, str], metric: str) -> str:
    gain, pvalue = _gain(tables[f"comparisons{_PAPERS_WAY}"], pair, metric)
    other, other_pvalue = _gain(tables[f"comparisons{_C45}"], pair, metric)
    return f"gain {gain:.4f}, p = {pvalue:.2g} (with C4.5's growing {other:.4f}, p = {other_pvalue:.2g})"


def _record_text(tables: Tables, table: str, row: str, metric: str) -> str:
    """Return wins/ties/losses, the paper's and ours, with those that remain."""
    cells = [tables[table].cell(row, column, metric) for column in ("wins", "ties", "losses")]
    ours = "/".join(f"{each.ours:.0f}" for each in cells)
    paper = "/".join(each.published.text for each in cells if each.published is not None)
    wins, losses = (tables[table].cell(row, column, metric).ours for column in REMAINING)
    whose = _WHOSE[table.removesuffix(_C45)]
    return f"wins/ties/losses{whose} {ours} (paper {paper}), {wins:.0f} wins and {losses:.0f} losses remain"


def _check_c45(tables: Tables) -> Finding:
    """Check MOB-ESP's lead with C4.5's own growing, which the paper did not try."""
    claims = [(pair, metric) for pair in ((MOB_ESP, B_PETS), (MOB_ESP, EB_PETS)) for metric in (_MSE, _AVLL)]
    table = tables[f"comparisons{_C45}"]
    texts = []
    for pair, metric in claims:
        gain, pvalue = _gain(table, pair, metric)
        record = _record_text(tables, f"table_5{_C45}", pair[1], metric)
        texts.append(f"{metric} against {pair[1]}: gain {gain:.4f}, p = {pvalue:.2g}, {record}")
    verdict = all_of([_verdict(table, pair, metric) for pair, metric in claims])
    statement = "MOB-ESP has a smaller squared error and log-loss than both also with C4.5's own trees."
    return Finding("mob-esp-with-c45-trees", statement, verdict, f"{'; '.join(texts)}.", "not in the paper")


def _check_remaining(tables: Tables) -> Iterator[Finding]:
    """Check whether most of the wins and losses in Tables 3 to 5 remain when the test is corrected for shared rows."""
    for suffix, words in ((_PAPERS_WAY, ""), (_C45, " with C4.5's growing")):
        found, remain, texts = 0, 0, []
        for name in RECORD_TABLES:
            n_found, n_remaining = _n_significant(tables[f"{name}{suffix}"])
            found, remain = found + n_found, remain + n_remaining
            texts.append(f"{name.replace('_', ' ').capitalize()}: {n_remaining} of {n_found}")
        verdict: Verdict = "holds" if 2 * remain > found else "does not hold"
        yield Finding(
            f"differences-remain{suffix.replace('_', '-')}",
            f"Most significant differences{words} remain when the t-test is corrected for trials that share rows.",
            verdict,
            f"{remain} of {found} wins and losses remain ({'; '.join(texts)}; in-bag rows count once).",
            "Tables 3 to 5",
        )


def _n_significant(table: PaperTable) -> tuple[int, int]:
    """Return the number of wins and losses by the paper's test, and that of those that remain."""
    places = {(each.row, each.block) for each in table.cells if "multiplicity" not in each.row}
    places = {(row, block) for row, block in places if block in METRIC_TITLES.values()}
    found, remain = (
        sum(table.cell(row, column, block).ours for row, block in places for column in columns)
        for columns in (("wins", "losses"), REMAINING)
    )
    return int(found), int(remain)


def _check_counting(tables: Tables) -> Finding:
    """Check whether the paper's figures show that an in-bag row counts once, as its footnotes assume."""
    table = tables["counting"]
    texts, verdicts = [], []
    for system in (EB_PETS, MOB_ESP):
        for metric in (_MSE, _AVLL):
            unique, multiplicity = (table.cell(system, f"closer, {each}", metric).ours for each in COUNTINGS)
            pvalue = table.cell(system, P_VALUE, metric).ours
            texts.append(
                f"{system}, {metric}: closer on {unique:.0f} to {multiplicity:.0f} data sets, p = {pvalue:.2g}"
            )
            verdicts.append(shown_by(pvalue <= _LEVEL and unique > multiplicity, pvalue <= _LEVEL))
    unique, other = (table.cell(B_PETS, f"distance, {each}", _MSE).ours for each in COUNTINGS)
    texts.append(f"B-PETs, {_MSE}: distance from the paper {unique:.4f} with each row once, {other:.4f} otherwise")
    statement = "Where out-of-bag rows are counted, an in-bag row counts once, however often it was drawn."
    return Finding("unique-counting", statement, all_of(verdicts), f"{'; '.join(texts)}.", "footnotes 3 to 5")
