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
    """Return the advice, the best method with its score, the verdict on its probabilities, and money."""
    texts = findings(found)
    blocks: list[Block] = [Paragraph(found.advice, "lead")]
    best = found.best.method
    on_score = texts["Best"].removeprefix(f"{best}. ")
    blocks.append(Callout("info", f"The best of {len(found.ranking)} methods is {best}.", on_score))
    blocks.append(_differences(found, texts["Differences"]))
    if found.verdict is not None:
        kind, words = _VERDICTS[found.verdict.kind]
        blocks.append(Callout(kind, words, f"Verdict on the held-out rows: {found.verdict.words}."))  # type: ignore[arg-type]
    if "Money" in texts:
        blocks.append(_money(found, texts["Money"]))
    blocks += [Callout("warning", _sentence(texts[name])) for name in ("Unfinished", "Not ranked") if name in texts]
    return Section("answer", "What to do", tuple(blocks))


def _differences(found: TableComparison, text: str) -> Callout:
    """Return which methods are shown to be worse, and what that means for the choice."""
    n_same = sum(each.difference == "not shown to differ" for each in found.ranking)
    n_worse = sum(each.difference == "worse" for each in found.ranking)
    if not n_worse and not n_same:
        return Callout("unsure", "No test can tell the methods apart.", _sentence(text))
    if n_same:
        return Callout("unsure", f"{_not_worse(n_same, n_same + n_worse)} shown to be worse than it.", _sentence(text))
    return Callout("good", "The best method is shown to be better than every other one.", _sentence(text))


def _not_worse(n_same: int, n_others: int) -> str:
    if n_same == n_others:
        return "The other method is not" if n_others == 1 else f"None of the {n_others} other methods is"
    return f"{n_same} of the {n_others} other methods {'is' if n_same == 1 else 'are'} not"


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
