"""The paper's findings, checked by Wilcoxon's test over the data sets and by the counts of its own tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from calibrant.papers._nielsen.published_figures import METRIC_TITLES
from calibrant.papers._nielsen.readings import B_PETS, COUNTINGS, EB_PETS, MOB_ESP, REMOVED
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
    """A claim that the first of each pair is better than the second by some metrics, or that nothing differs.

    By default the pair is that of the table and row of its wins, ties and losses, the full system first.
    """

    name: str
    statement: str
    source: str
    record: tuple[str, str]
    metrics: Sequence[str]
    pairs: Sequence[tuple[str, str]] = ()
    differs: bool = True

    @property
    def all_pairs(self) -> Sequence[tuple[str, str]]:
        """The pairs that are compared."""
        table, row = self.record
        one, other = RECORD_TABLES[table].pairs[row]
        return self.pairs or [(other, one) if table == "table_4" else (one, other)]


_CLAIMS = (
    _Claim(
        "eb-pets-beat-b-pets",
        "EB-PETs have a smaller squared error and log-loss than B-PETs.",
        "Table 2, section 3.3",
        ("table_3", "All (EB-PETs)"),
        [_MSE, _AVLL],
    ),
    _Claim(
        "eb-pets-rank-better",
        "EB-PETs have a greater area under the lift chart and accuracy than B-PETs.",
        "Table 2, section 3.3",
        ("table_3", "All (EB-PETs)"),
        [_AULC, _ACCURACY],
    ),
    _Claim(
        "mob-esp-ranks-better",
        "MOB-ESP has a greater area under the lift chart and accuracy than B-PETs.",
        "Table 5, section 3.4",
        ("table_5", B_PETS),
        [_AULC, _ACCURACY],
    ),
    _Claim(
        "mob-esp-beats-b-pets",
        "MOB-ESP has a smaller squared error and log-loss than B-PETs.",
        "Table 5, section 3.4",
        ("table_5", B_PETS),
        [_MSE, _AVLL],
    ),
    _Claim(
        "mob-esp-beats-eb-pets",
        "MOB-ESP has a smaller squared error and log-loss than EB-PETs.",
        "Tables 5 and 6, section 3.4",
        ("table_5", EB_PETS),
        [_MSE, _AVLL],
    ),
    _Claim(
        "eb-pets-beat-mob-esp-on-aulc",
        "EB-PETs rank better than MOB-ESP: they have the greater area under the lift chart.",
        "Tables 5 and 6, section 3.4",
        ("table_5", EB_PETS),
        [_AULC],
        [(EB_PETS, MOB_ESP)],
    ),
    _Claim(
        "ob-examples-alone",
        "Counting out-of-bag examples improves B-PETs on all four metrics by itself.",
        "Table 3, section 3.3.1",
        ("table_3", "OB Examples"),
        [_MSE, _AVLL, _AULC, _ACCURACY],
    ),
    _Claim(
        "omit-smoothing-alone",
        "Omitting Laplace's smoothing improves the squared error and log-loss of B-PETs by itself.",
        "Table 3, section 3.3.1",
        ("table_3", "Omit Smoothing"),
        [_MSE, _AVLL],
    ),
    _Claim(
        "random-features-rank",
        "Random features improve the AULC and accuracy of B-PETs by themselves.",
        "Table 3, section 3.3.1",
        ("table_3", "Random Features"),
        [_AULC, _ACCURACY],
    ),
    _Claim(
        "random-features-errors",
        "Random features have no obvious effect on the squared error and log-loss of B-PETs by themselves.",
        "Table 3, section 3.3.1",
        ("table_3", "Random Features"),
        [_MSE, _AVLL],
        differs=False,
    ),
    _Claim(
        "ob-examples-in-eb-pets",
        "EB-PETs lose squared error and log-loss without out-of-bag examples.",
        "Table 4, section 3.3.1",
        ("table_4", "OB Examples"),
        [_MSE, _AVLL],
    ),
    _Claim(
        "omit-smoothing-in-eb-pets",
        "EB-PETs lose squared error and log-loss with Laplace's smoothing.",
        "Table 4, section 3.3.1",
        ("table_4", "Omit Smoothing"),
        [_MSE, _AVLL],
    ),
    _Claim(
        "omit-smoothing-matters-most",
        "In EB-PETs the omission of smoothing matters most to squared error and log-loss.",
        "Table 4, section 3.3.1",
        ("table_4", "Omit Smoothing"),
        [_MSE, _AVLL],
        [(REMOVED[each], REMOVED["Omit Smoothing"]) for each in ("OB Examples", "Random Features")],
    ),
    _Claim(
        "random-features-in-eb-pets",
        "Random features have a large positive effect on the AULC and accuracy of EB-PETs.",
        "Table 4, section 3.3.1",
        ("table_4", "Random Features"),
        [_AULC, _ACCURACY],
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
    verdicts, texts = [], []
    for metric in claim.metrics:
        gains = []
        for pair in claim.all_pairs:
            verdict, gain = _gain(tables[f"comparisons{_PAPERS_WAY}"], pair, metric)
            verdicts.append(verdict)
            gains.append(f"gain {gain} (with C4.5's growing {_gain(tables[f'comparisons{_C45}'], pair, metric)[1]})")
        texts.append(f"{metric}: {' and '.join(gains)}; {_record_text(tables, *claim.record, metric)}")
    differ = set(verdicts) != {"undecided"}  # that nothing differs a test can only contradict
    shown = all_of(verdicts) if claim.differs else shown_by(claim=False, contrary=differ)
    return Finding(claim.name, claim.statement, shown, f"{'; '.join(texts)}.", claim.source)


def _gain(table: PaperTable, pair: tuple[str, str], metric: str) -> tuple[Verdict, str]:
    """Return whether the first is better beyond sampling error, and its gain, whichever way the table has it."""
    row, sign = pair_name(*pair), 1.0
    if row not in table.rows:
        row, sign = pair_name(*pair[::-1]), -1.0
    gain, pvalue = sign * table.cell(row, GAIN, metric).ours, table.cell(row, P_VALUE, metric).ours
    return shown_by(pvalue <= _LEVEL and gain > 0, pvalue <= _LEVEL), f"{gain:.4f}, p = {pvalue:.2g}"


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
    verdicts, texts = [], []
    for other, metric in product((B_PETS, EB_PETS), (_MSE, _AVLL)):
        verdict, gain = _gain(tables[f"comparisons{_C45}"], (MOB_ESP, other), metric)
        verdicts.append(verdict)
        texts.append(f"{metric} against {other}: gain {gain}, {_record_text(tables, f'table_5{_C45}', other, metric)}")
    statement = "MOB-ESP has a smaller squared error and log-loss than both also with C4.5's own trees."
    return Finding("mob-esp-with-c45-trees", statement, all_of(verdicts), f"{'; '.join(texts)}.", "not in the paper")


def _check_remaining(tables: Tables) -> Iterator[Finding]:
    """Check whether most of the wins and losses in Tables 3 to 5 remain when the test is corrected for shared rows."""
    for suffix, words in ((_PAPERS_WAY, ""), (_C45, " with C4.5's growing")):
        found, remain, texts = 0, 0, []
        for name in RECORD_TABLES:
            cells = [
                each
                for each in tables[f"{name}{suffix}"].cells
                if "multiplicity" not in each.row and each.block in METRIC_TITLES.values()
            ]
            n_found = sum(int(each.ours) for each in cells if each.column in ("wins", "losses"))
            n_remaining = sum(int(each.ours) for each in cells if each.column in REMAINING)
            found, remain = found + n_found, remain + n_remaining
            texts.append(f"{name.replace('_', ' ').capitalize()}: {n_remaining} of {n_found}")
        yield Finding(
            f"differences-remain{suffix.replace('_', '-')}",
            f"Most significant differences{words} remain when the t-test is corrected for trials that share rows.",
            "holds" if 2 * remain > found else "does not hold",
            f"{remain} of {found} wins and losses remain ({'; '.join(texts)}; in-bag rows count once).",
            "Tables 3 to 5",
        )


def _check_counting(tables: Tables) -> Finding:
    """Check whether the paper's figures show that an in-bag row counts once, as its footnotes assume."""
    table = tables["counting"]
    texts, verdicts = [], []
    for system, metric in product((EB_PETS, MOB_ESP), (_MSE, _AVLL)):
        unique, multiplicity = (table.cell(system, f"closer, {each}", metric).ours for each in COUNTINGS)
        pvalue = table.cell(system, P_VALUE, metric).ours
        texts.append(f"{system}, {metric}: closer on {unique:.0f} to {multiplicity:.0f} data sets, p = {pvalue:.2g}")
        verdicts.append(shown_by(pvalue <= _LEVEL and unique > multiplicity, pvalue <= _LEVEL))
    unique, other = (table.cell(B_PETS, f"distance, {each}", _MSE).ours for each in COUNTINGS)
    texts.append(f"B-PETs, {_MSE}: distance from the paper {unique:.4f} with each row once, {other:.4f} otherwise")
    statement = "Where out-of-bag rows are counted, an in-bag row counts once, however often it was drawn."
    return Finding("unique-counting", statement, all_of(verdicts), f"{'; '.join(texts)}.", "footnotes 3 to 5")
