"""The picture of the README: what a tree says of donors, what a forest read well says, and how often it came true.

    python examples/reliability_picture.py

Every row of `appeal`, a made-up data set that comes with the package, is predicted by models that have not seen it (ten
folds). A C4.5 tree grown in full gives many rows 0 or 1, as Zadrozny & Elkan (2001) warn; the honest band shows where
its probabilities are wrong, whatever the number of rows. Nothing speaks against those of MOB-ESP, and the band says
within which bounds they are right. The picture is written to ``docs/pictures/reliability.png``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from calibrant.data import Table, load
from calibrant.ensembles import MOBESPClassifier
from calibrant.plots import ReliabilityDisplay
from calibrant.trees import ProbabilityTreeClassifier

MODELS: dict[str, Any] = {
    "C4.5 tree, not smoothed": ProbabilityTreeClassifier(estimate="frequency", random_state=0),
    "MOB-ESP": MOBESPClassifier(n_trees=128, min_leaf=10, random_state=0, n_jobs=2),
}
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "reliability.png"


def main() -> None:
    donors = load("appeal")
    figure = draw(donors, {name: predict(model, donors) for name, model in MODELS.items()})
    figure.savefig(PICTURE, dpi=110)
    print(f"Written: {PICTURE}")


def predict(model: Any, table: Table) -> NDArray[Any]:
    """Give the probabilities of every row, by models that have not seen it."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return cross_val_predict(model, table.X, table.y, cv=folds, method="predict_proba")


def draw(table: Table, proba: dict[str, NDArray[Any]]) -> Figure:
    figure, places = plt.subplots(1, len(proba), figsize=(10.4, 5.6), layout="constrained")
    for place, (name, probabilities) in zip(places, proba.items(), strict=True):
        display = ReliabilityDisplay.from_predictions(
            table.y, probabilities, name=name, pos_label=table.positive, bands="honest", ax=place
        )
        wrong = display.curves[name].outside()
        ranges = "; ".join(f"{low:.2f} to {high:.2f}" for low, high in wrong)
        place.set_title(f"{name}\n{f'wrong: {ranges}' if wrong else 'nothing speaks against it'}", fontsize=11)
        print(display.curves[name])
        display.legend_.remove()
    handles, _ = places[0].get_legend_handles_labels()
    words = ["right probabilities", "what came true", "honest band, 95 %"]
    figure.legend(handles, words, loc="outside lower center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
