"""A paper of two methods on one small data set, for tests of what all papers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.papers import Cell, Finding, Paper, PaperTable, Picture
from calibrant.studies import Study, StudyResults

__all__ = ["SmallPaper"]


class SmallPaper(Paper):
    """A paper of two constant methods on one small data set."""

    name = "small-paper"
    citation = "A. Author, 2000"
    processor_seconds: Mapping[Any, float] = {"quick": 1.0, "default": 1.0, "full": 1.0}

    def methods(self) -> dict[str, Any]:
        return {"All one": ConstantClassifier(strategy="one", positive="yes"), "Naive Bayes": NaiveBayesClassifier()}

    def studies(self, _size: Any, store: str) -> dict[str, Study]:
        return {
            "main": Study("small", datasets=["appeal"], methods=self.methods(), plan=2, metrics=["mse"], store=store)
        }

    def tables(self, results: Mapping[str, StudyResults], _size: Any) -> list[PaperTable]:
        means = results["main"].table("mse").iloc[0]
        return [
            PaperTable("table_1", "Table 1", tuple(Cell(name, "MSE", float(means[name])) for name in self.methods()))
        ]

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        bayes, one = (tables["table_1"].cell(name, "MSE").ours for name in ("Naive Bayes", "All one"))
        return [Finding("bayes", "Bayes wins.", "holds" if bayes < one else "does not hold", f"{bayes:.2f}", "Table 1")]

    def pictures(self, _results: Mapping[str, StudyResults], _tables: Mapping[str, PaperTable]) -> list[Picture]:
        return [Picture("figure_1", "Nothing.", Figure())]
