"""What Zadrozny & Elkan (2001) claim of bagging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.papers._zadrozny.coil import COIL
from calibrant.papers._zadrozny.comparisons import OVERFITTING, SLIGHT, pair
from calibrant.papers._zadrozny.evidence import TableEvidence, conclude, is_above, is_below

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding

__all__ = ["bagging_findings"]


def bagging_findings(evidence: TableEvidence) -> list[Finding]:
    """Return what holds of bagged trees; Chawla & Cieslak (2006) claim the contrary of some."""
    mailings = [each for each in evidence.datasets if each != COIL]
    bagged, single = "Bagged Laplace", "Smoothed curtailment"
    curtailed = pair("Bagged curtailment", "Curtailment")
    return [
        conclude(
            "bagged-laplace-gains",
            "Bagging improves trees with Laplace's correction.",
            "Tables 1 and 4",
            evidence.check([pair(bagged, "Laplace (C4.4)")], "MSE", is_below),
            "Bagging averages away the variance of leaves that overfit; it gains most where single trees are worst.",
        ),
        conclude(
            "bagged-laplace-overfits",
            "Bagging trees with Laplace's correction overfits the training rows more than one such tree does.",
            "Tables 1 and 4, section 4",
            evidence.check([OVERFITTING], "MSE", is_above, datasets=mailings),
            "Never judge bagged trees on their training rows.",
        ),
        conclude(
            "bagging-is-no-substitute",
            "Bagged trees with Laplace's correction do not reach a single tree with smoothing and curtailment.",
            "Tables 1 and 4, section 5",
            evidence.check([pair(bagged, single)], "MSE", is_above),
            "On unbalanced data regularize the leaves first; then bag.",
        ),
        conclude(
            "bagged-curtailment-slight",
            "Bagging improves curtailment on KDD'98 only slightly: by less than a tenth of the gain over raw trees.",
            "Table 1, section 4",
            evidence.check([SLIGHT], "MSE", is_above, datasets=mailings, shown=[curtailed]),
            "Bag curtailed trees only if the last thousandth counts.",
        ),
        conclude(
            "bagged-curtailment-coil",
            "On CoIL bagging makes curtailment worse.",
            "Table 4, section 4",
            evidence.check([curtailed], "MSE", is_above, datasets=[COIL]),
            "Expect little of bagging curtailed trees here. On the official split it changes nothing with the five "
            "most informative columns, and gains a percent with all 85.",
        ),
    ]
