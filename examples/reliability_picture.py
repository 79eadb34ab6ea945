"""The picture of the README: reliability diagrams of an unsmoothed tree and of MOB-ESP, with honest bands.

    python examples/reliability_picture.py

Every row of `appeal`, a synthetic data set that comes with the package, is predicted by models that were not fitted to
it (ten folds). A fully grown C4.5 tree predicts 0 or 1 for many rows, as Zadrozny & Elkan (2001) warn; the honest band
shows where its probabilities are miscalibrated, whatever the number of rows. It shows no miscalibration of MOB-ESP, and
bounds how large it can be. The picture is written to ``docs/pictures/reliability.png``.
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
    """Return the class probabilities of every row, by models that were not fitted to it."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return cross_val_predict(model, table.X, table.y, cv=folds, method="predict_proba")


def draw(table: Table, proba: dict[str, NDArray[Any]]) -> Figure:
    figure, panels = plt.subplots(1, len(proba), figsize=(10.4, 5.6), layout="constrained")
    for panel, (name, probabilities) in zip(panels, proba.items(), strict=True):
        display = ReliabilityDisplay.from_predictions(
            table.y, probabilities, name=name, pos_label=table.positive, bands="honest", ax=panel
        )
        outside = display.curves[name].outside()
        ranges = "; ".join(f"{low:.2f} to {high:.2f}" for low, high in outside)
        panel.set_title(f"{name}\n{f'miscalibrated: {ranges}' if outside else 'no miscalibration shown'}", fontsize=11)
        print(display.curves[name])
        display.legend_.remove()
    handles, _ = panels[0].get_legend_handles_labels()
    labels = ["perfectly calibrated", "observed frequency", "simultaneous 95 % band of the true curve (honest)"]
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
