"""A fitted blend in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.blending._pool.blend import Blend

__all__ = ["describe"]


def describe(blend: Blend, left_out: Mapping[str, str]) -> str:
    """Return the expected loss, the members by weight, the calibration and what was left out, a line each."""
    expected = blend.expected
    lines = [f"  expected log-loss on new rows {expected.value:.4f} ({expected.low:.4f} to {expected.high:.4f})"]
    tried = sorted(blend.tried, key=lambda each: -each.weight)
    width = max((len(each.name) for each in tried), default=0)
    if tried:
        lines.append(f"  {'member':{width}}  weight  log-loss  seconds")
    for each in tried:
        note = f"  {each.note}" if each.note else ""
        lines.append(f"  {each.name:{width}}  {each.weight:6.2f}  {each.log_loss:8.4f}  {each.seconds:7.2f}{note}")
    if blend.calibrator is not None:
        choice = blend.calibrator.choice_
        lines.append(f"  calibration: {choice.name}, {choice.reason}")
    lines += [f"  left out: {name} ({reason})" for name, reason in left_out.items()]
    return "\n".join(lines)
