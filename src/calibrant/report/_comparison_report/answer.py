"""What to do, in words: the first section of the report of a compared table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._sections import Callout, Paragraph, Section
from calibrant.studies._internal import findings

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.studies import TableComparison

__all__ = ["answer_section"]

_VERDICTS = {
    "calibrated": ("good", "Its probabilities can be taken at their word."),
    "too little to matter": ("good", "Its probabilities are off, but too little to matter."),
    "miscalibrated": ("bad", "Its probabilities are off."),
    "cannot tell": ("unsure", "Whether its probabilities are right cannot be told from so few rows."),
}


def answer_section(found: TableComparison) -> Section:
    """Return the advice, the score to expect, which methods are as good, the verdict on calibration, and money."""
    texts = findings(found)
    blocks: list[Block] = [Paragraph(found.advice, "lead"), Callout("info", _sentence(texts["Score"]))]
    blocks.append(_standings(found, texts.get("As good", "")))
    if found.verdict is not None and "Calibration" in texts:
        kind, words = _VERDICTS[found.verdict.kind]
        blocks.append(Callout(kind, words, f"Verdict on the held-out rows: {found.verdict.words}."))  # type: ignore[arg-type]
    if "Money" in texts:
        blocks.append(_money(found, texts["Money"]))
    blocks += [Callout("warning", _sentence(texts[name])) for name in ("Note", "Not ranked") if name in texts]
    return Section("answer", "What to do", tuple(blocks))


def _standings(found: TableComparison, as_good: str) -> Callout:
    """Return how many methods are shown to be worse than the best one, and which are as good."""
    n_worse, n_others = sum(each.standing == "worse" for each in found.ranking), len(found.ranking) - 1
    if not any(each.standing for each in found.ranking):
        return Callout("unsure", "No test can tell the methods apart.", _sentence(as_good))
    if n_worse == n_others:
        return Callout("good", f"{found.best.method} is shown to be better than every other method.")
    shown = f"{n_worse} of {n_others} methods {'is' if n_worse == 1 else 'are'} shown to be worse than the best one."
    return Callout("info", shown, _sentence(as_good))


def _money(found: TableComparison, text: str) -> Callout:
    """Return what deciding by the best method earns, and whether that is more than one action for all earns."""
    if found.money is None:
        return Callout("info", _sentence(text))
    gain = found.money.now.total.value - found.money.everybody.value
    lost = found.money.miscalibration
    if lost.low is not None and lost.low > 0:
        return Callout("bad", f"Miscalibration costs {lost!r} on these rows.", _sentence(text))
    words = (
        "Deciding by it earns more than the best single action for all" if gain > 0 else "Deciding by it earns no more"
    )
    tail = f": {gain:,.2f} on these rows." if gain > 0 else " than the best single action for all."
    return Callout("info", words + tail, _sentence(text))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
