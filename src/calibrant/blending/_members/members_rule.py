"""The rule of the parameter `members`, with what to write instead of what breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from calibrant._params import Rule
from calibrant._repr import instance_hint
from calibrant.exceptions import nearest

__all__ = ["MemberName", "MembersRule", "name_and_estimator"]

MemberName: TypeAlias = str | tuple[str, Any]


@dataclass(frozen=True)
class MembersRule(Rule):
    """Names of members, and pairs of a new name and a classifier; names differ.

    Examples
    --------
    >>> rule = MembersRule(("bayes", "forest"))
    >>> ["bayes", "forest"] in rule, ["bayes", "bayes"] in rule, "bayes" in rule
    (True, False, False)
    """

    names: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return _is_list(value) and bool(value) and not self._hint(value)

    def _words(self) -> tuple[str, ...]:
        names = ", ".join(map(repr, self.names))
        return (f"a list of different names among {names} and pairs of a new name and a classifier",)

    def _hint(self, value: object, /) -> str:
        if not _is_list(value):
            is_classifier = not _reason_against(value) or isinstance(value, type)
            return f" Pass a list of pairs: [('other', {_call(value)})]." if is_classifier else ""
        if len(value) == 2 and isinstance(value[0], str) and hasattr(value[1], "fit"):
            return f" Pass a list of pairs: [({value[0]!r}, {_call(value[1])})]."
        found = next(filter(None, map(self._hint_of_one, value)), "")
        names = [name_and_estimator(each)[0] for each in value]
        twice = next((name for name in names if names.count(name) > 1), None)
        return found or ("" if twice is None else f" {twice!r} is there twice.")

    def _hint_of_one(self, member: Any) -> str:
        if isinstance(member, str):
            return "" if member in self.names else f" {member!r} is no name of a member.{nearest(member, self.names)}"
        if not _is_list(member) or len(member) != 2 or not isinstance(member[0], str):
            return f" {_call(member)} is no pair of a name and a classifier."
        if member[0] in self.names:
            return f" {member[0]!r} is the name of a member of this package: choose another."
        return _reason_against(member[1])


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _call(value: object) -> str:
    """Return how a classifier is written, without its parameters."""
    kind = value if isinstance(value, type) else type(value)
    return f"{kind.__name__}()" if hasattr(value, "fit") else repr(value)


def _reason_against(estimator: object) -> str:
    """Return why an object is no classifier with probabilities or margins, empty if it is."""
    if isinstance(estimator, type):
        return instance_hint(estimator) or " Pass an instance."
    if hasattr(estimator, "fit") and any(hasattr(estimator, each) for each in ("predict_proba", "decision_function")):
        return ""
    return f" {_call(estimator)} is no classifier with predict_proba or decision_function."


def name_and_estimator(member: Any) -> tuple[Any, Any]:
    """Return the name of a member, and the estimator of a pair, None of a name.

    Examples
    --------
    >>> name_and_estimator("bayes")
    ('bayes', None)
    """
    return (member[0], member[1]) if _is_list(member) and len(member) == 2 else (member, None)
