"""A finding of a paper, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields, replace
from typing import Literal, TypeAlias

from calibrant.papers._reproduction.table import csv_text, markdown_table

Verdict: TypeAlias = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True)
class Finding:
    """A statement of a paper with the evidence for or against it.

    Parameters
    ----------
    name : str
        A short name.
    statement : str
        What the paper claims, as one sentence.
    verdict : {"holds", "does not hold", "undecided"}
        What our figures show beyond sampling error; ``"undecided"`` where they show neither.
    evidence : str
        The figures.
    source : str
        Where the paper claims it.
    advice : str
        What a practitioner should do today.

    Examples
    --------
    >>> from calibrant.papers import Finding
    >>> Finding("laplace", "Laplace alone helps little.", "holds", "MSE 0.1005, raw 0.1019.", "Table 1").verdict
    'holds'
    """

    name: str
    statement: str
    verdict: Literal["holds", "does not hold", "undecided"]
    evidence: str
    source: str
    advice: str = ""


def shown_by(claim: object, contrary: object) -> Verdict:
    """Return the verdict of figures that show a claim, its contrary, or neither.

    Examples
    --------
    >>> shown_by(0.2 < 0.5, 0.2 > 0.5), shown_by(False, True), shown_by(False, False)
    ('holds', 'does not hold', 'undecided')
    """
    return "holds" if claim else "does not hold" if contrary else "undecided"


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several statements together.

    Examples
    --------
    >>> all_of(["holds", "holds"]), all_of(["holds", "undecided"]), all_of(["undecided", "does not hold"])
    ('holds', 'undecided', 'does not hold')
    """
    found = set(verdicts)
    return shown_by(found == {"holds"}, "does not hold" in found)


def findings_text(findings: tuple[Finding, ...]) -> str:
    """Return findings in Markdown: a numbered table of verdicts, and the evidence below it.

    Examples
    --------
    >>> print(findings_text((Finding("a", "A beats B.", "holds", "1 to 2.", "Table 1"),)))
    |     | finding    | source  | verdict |
    | :-- | :--------- | :------ | :------ |
    | 1   | A beats B. | Table 1 | holds   |
    <BLANKLINE>
    The evidence:
    <BLANKLINE>
    1. *A beats B.* **holds**: 1 to 2.
    """
    rows = [[str(number), each.statement, each.source, each.verdict] for number, each in enumerate(findings, 1)]
    evidence = [
        f"{number}. *{each.statement}* **{each.verdict}**: {each.evidence}" for number, each in enumerate(findings, 1)
    ]
    table = markdown_table(["", "finding", "source", "verdict"], rows, left=4)
    return "\n\n".join([table, "The evidence:", "\n".join(evidence)])


def findings_csv(findings: Iterable[Finding]) -> str:
    """Return findings as CSV.

    Examples
    --------
    >>> print(findings_csv([Finding("a", "A beats B.", "holds", "1 to 2.", "Table 1", "Use A.")]))
    name,statement,verdict,evidence,source,advice
    a,A beats B.,holds,1 to 2.,Table 1,Use A.
    <BLANKLINE>
    """
    return csv_text([each.name for each in fields(Finding)], map(astuple, findings))


def with_advice(findings: Iterable[Finding], advice: Mapping[str, str]) -> list[Finding]:
    """Return findings with what to do today, by the names of the findings.

    Examples
    --------
    >>> with_advice([Finding("a", "A beats B.", "holds", "1 to 2.", "Table 1")], {"a": "Use A."})[0].advice
    'Use A.'
    """
    return [replace(each, advice=advice.get(each.name, each.advice)) for each in findings]
