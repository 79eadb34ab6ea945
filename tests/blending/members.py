"""The members that a blend has by default, the fastest first."""

from __future__ import annotations

__all__ = ["MEMBERS"]

MEMBERS = ("bayes", "logistic", "forest", "gradient", "kernel", "boosted", "bagged")
