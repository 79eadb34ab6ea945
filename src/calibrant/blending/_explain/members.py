"""The members of a blend as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._optional import optional_import

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.blending._pool.blend import Blend

__all__ = ["member_names", "members_frame"]


def member_names(blend: Blend) -> tuple[str, ...]:
    """Return the families and readings of positive weight."""
    families = [member.family for member in blend.members]
    readings = [name for member in blend.members for name in member.readings]
    return tuple(dict.fromkeys([*families, *readings]))


def members_frame(blend: Blend) -> pd.DataFrame:
    """Return the members tried and the blend as a frame, least log-loss first."""
    pandas = optional_import("pandas", extra="data", purpose="return the leaderboard as a frame")
    rows = [("blend", 1.0, blend.expected.value, sum(each.seconds for each in blend.tried), "")]
    rows += [(each.name, each.weight, each.log_loss, each.seconds, each.note) for each in blend.tried]
    frame = pandas.DataFrame(rows, columns=["member", "weight", "log_loss", "seconds", "note"])
    sorted_frame: pd.DataFrame = frame.sort_values("log_loss", kind="stable").set_index("member")
    return sorted_frame
