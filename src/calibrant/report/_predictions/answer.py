"""The answer, in words: are the probabilities right, what does it cost where they are not, and which model to use."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from calibrant._repr import listed, percent, points
from calibrant._sections import Block, Callout, Paragraph, Section
from calibrant.decisions import DecisionReport
from calibrant.report._predictions.comparison import MEASURES, ModelChoice, choose_model
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.wording import (
    cell_text,
    ends_text,
    money_text,
    rows_text,
    upper_first,
)

_KINDS: dict[str, Literal["good", "bad", "unsure"]] = {
    "calibrated": "good",
    "too little to matter": "good",
    "miscalibrated": "bad",
    "cannot tell": "unsure",
}
_ANSWERS = {
    "calibrated": "{} are right on average: what they promise happens about as often as they say.",
    "too little to matter": "{} are off, but too little to matter.",
    "miscalibrated": "{} are wrong: what they promise does not happen as often as they say.",
    "cannot tell": "whether {} are right cannot be told yet from {rows}.",
}
_FEW_OF_CLASS = 50  # as in the advice of `compare`
_CHANCE = 0.5  # the AUC of a model that knows nothing


def answer_section(data: ReportData) -> Section:
    """Return the answer: what to do first, then what stands behind it."""
    choice = choose_model(data)
    blocks: list[Block] = [Paragraph(_advice(data, choice), "lead")]
    if choice is None:
        name = data.names[0]
        blocks += [_on_calibration(data, name), _on_ranking(data, name)]
        if data.costs is not None:
            kind, text = _lost(data, name)
            report = data.money(name)
            kind = "bad" if report is not None and report.now.pays is False else kind
            blocks.append(Callout(kind, text, f"{_earned(data, name)} {_single_action(data, name)}".strip()))
    else:
        blocks.append(_on_choice(data, choice))
        for name in data.names:
            verdict = _on_calibration(data, name)
            chance = "" if _beats_chance(data, name) else "It is not shown to rank the rows better than chance."
            money = f"{_lost(data, name)[1]} {_earned(data, name)}" if data.costs is not None else ""
            details = " ".join(filter(None, [verdict.detail, chance, money]))
            blocks.append(replace(verdict, detail=details, model=name))
        blocks += [Paragraph(_single_action(data, choice.best), "note")] if data.money(choice.best) else []
    if not data.is_binary:
        text = (
            "With more than two classes, each class against the others and each predicted class are judged together; "
            "the pages below are of single classes."
        )
        blocks.append(Paragraph(text, "note"))
    return Section("answer", "The answer", tuple(blocks), "Verdict")


def _on_calibration(data: ReportData, name: str) -> Callout:
    verdict = data.verdict(name)
    text = _ANSWERS[verdict.kind].format(data.subject(name), rows=rows_text(data.n_counted))
    return Callout(_KINDS[verdict.kind], upper_first(text), " ".join(verdict.sentences))


def _lost(data: ReportData, name: str) -> tuple[Literal["bad", "unsure", "info"], str]:
    """Return the cost of miscalibration in a sentence, with the kind of its callout."""
    report = data.money(name)
    if report is None:
        of = "rows of a class" if data.groups is None else "groups"
        return "unsure", f"What miscalibration costs cannot be told: there are too few {of}."
    lost, at = report.miscalibration, data.level
    if lost.low is None or lost.high is None:
        return "info", f"Miscalibration costs {money_text(lost.value)}."
    if lost.low > 0.0:
        ends = f"{money_text(lost.low)} to {money_text(lost.high)}"
        return "bad", f"Miscalibration costs {money_text(lost.value)} ({at} interval {ends})."
    bound = f"; at most {money_text(lost.high)} (at {at} confidence)" if lost.high > 0.0 else ""
    return "info", f"Nothing is shown to be lost by miscalibration{bound}."


def _earned(data: ReportData, name: str) -> str:
    report = data.money(name)
    if report is None:
        return ""
    compared = {True: "", False: ", less than without it", None: ", not shown to be more than without it"}
    earned = money_text(report.now.total.value)
    rows = rows_text(data.n_counted)
    if data.weight_kind == "probability" and data.sample_weight is not None:
        rows += f" of weight {report.now.n_rows:,.6g} together"
    return f"Deciding by it earns {earned} on {rows}{compared[report.now.pays]}."


def _single_action(data: ReportData, name: str) -> str:
    report = data.money(name)
    if report is None:
        return ""
    return f"Without a model, “{report.now.best_alone}” for every row earns {money_text(report.everybody.value)}."


def _beats_chance(data: ReportData, name: str) -> bool:
    low = data.cards[name]["auc"].low
    return low is not None and low > _CHANCE


def _on_ranking(data: ReportData, name: str) -> Callout:
    """Return whether the model says anything about single rows."""
    score = data.cards[name]["auc"]
    ends = ends_text(score.low, score.high)
    figures = f"AUC {cell_text(score.value)}"
    figures += f" ({data.level} interval {ends}; chance has 0.5)" if ends else ""
    if _beats_chance(data, name):
        pairs = f": of two rows, one of them {data.positive}, that one has the higher probability in "
        pairs = f"{pairs}{percent(score.value)} of pairs" if data.is_binary else ""
        return Callout("good", "They rank the rows better than chance.", f"{figures}{pairs}.")
    if score.high is not None and score.high < _CHANCE:
        return Callout("bad", "They rank the rows in the wrong order.", f"{figures}.")
    return Callout("unsure", "They are not shown to rank the rows better than chance.", f"{figures}.")


def _on_choice(data: ReportData, choice: ModelChoice) -> Callout:
    """Name the best model, and say whether it is shown to be the best."""
    side = "highest" if choice.measure == "profit" else "lowest"
    best = f"{choice.best} has the {side} {MEASURES[choice.measure]}"
    if not choice.tested:
        return Callout("unsure", f"{best}; whether it is better cannot be told from rows of so few groups.")
    at = data.level
    how = f"Compared on the same rows, at {at} confidence for all models together; see the comparison below."
    if not choice.not_shown:
        return Callout("good", f"{best}, and is shown to be better than {listed(choice.worse)}.", how)
    if not choice.worse:
        return Callout("unsure", f"{best}, but is not shown to be better than {listed(choice.not_shown)}.", how)
    text = f"{best}: it is shown to be better than {listed(choice.worse)}, but not than {listed(choice.not_shown)}."
    return Callout("info", text, how)


def _advice(data: ReportData, choice: ModelChoice | None) -> str:
    """Return the advice in a sentence or two."""
    name = data.names[0] if choice is None else choice.best
    which = "these probabilities" if choice is None else name
    report = data.money(name)
    if report is not None and report.now.pays is False:
        first = ", and recalibration is shown to help" if _is_lost(report) else ""
        return f"Do not decide by {which} now: “{report.now.best_alone}” for every row earns more{first}."
    high = data.cards[name]["auc"].high
    if high is not None and high < _CHANCE:
        return f"Do not act on {which}: the rows are ranked in the wrong order. Are the probabilities of another class?"
    if not _beats_chance(data, name):
        counts = {label: data.count(data.y_true == label) for label in data.classes}
        label = min(counts, key=lambda each: counts[each])
        rarest = f"; {label} has only {data.few_rows_text(label)}" if counts[label] < _FEW_OF_CLASS else ""
        return f"Do not act on {which} yet: nothing shows that the rows are ranked better than chance{rarest}."
    others = ""
    if choice is not None and not choice.worse:
        others = (
            " The other is not shown to be worse."
            if len(data.names) == 2
            else " None of the others is shown to be worse."
        )
    return f"{_use(data, name, which)}{others}{_without(report)}"


def _without(report: DecisionReport | None) -> str:
    """Return that decisions by a model are not shown to earn more than the best single action."""
    if report is None or report.now.pays is not None or report.now.gain.low is None or _is_lost(report):
        return ""
    gain = report.now.gain
    shown = "earn as much as" if gain.value == gain.low == gain.high == 0.0 else "are not shown to earn more than"
    return f" At these costs, decisions by it {shown} “{report.now.best_alone}” for every row."


def _is_lost(report: DecisionReport) -> bool:
    """Return whether miscalibration is shown to cost money."""
    return (report.miscalibration.low or 0.0) > 0.0


def _use(data: ReportData, name: str, which: str) -> str:
    """Return whether to use a model as it is, by the verdict on its calibration."""
    verdict, report = data.verdict(name), data.money(name)
    if report is not None and _is_lost(report):  # whatever the verdict: at these costs it matters
        return f"Use {which} only after recalibration on rows kept apart, which is shown to earn more."
    if verdict.kind in ("calibrated", "too little to matter"):
        return f"Use {which} as they are." if which != name else f"Use {which} as it is."
    if verdict.kind == "cannot tell":
        more = "more rows" if data.groups is None else "rows of more groups"
        if verdict.rows_needed and verdict.rows_needed > data.n_counted:
            more = f"about {rows_text(verdict.rows_needed)} in all"
        bound = f": they are at most {points(verdict.gap_bound)} off on average" if verdict.gap_bound < 1.0 else ""
        return f"Use {which} with care{bound}. Collect {more} to be told more closely."
    if report is not None and report.miscalibration.low is not None and report.now.pays:
        return f"Use {which} for decisions at these costs; recalibrate before anybody reads the probabilities."
    return f"Use {which} only after recalibration on rows kept apart."
