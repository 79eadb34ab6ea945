"""Figure 5.2 of Witten, Frank & Hall (2011) reproduced: how many letters to send, by cost-benefit analysis.

    CALIBRANT_DATA=folder python examples/mailing_figure.py [picture.png]

The book uses a direct-mail data set of 47,706 training rows and as many test rows: the KDD'98 learning set in two
halves (95,412 rows; 2,402 respondents among the book's test rows). The book does not say which half is which, or which
attributes naive Bayes uses: here every second row is a test row, and the columns are the 30 with text. So the best
share of the list need not be the book's 46.7 %. What follows from counts alone agrees to the cent: mailing everybody in
the book's half earns 13,378.00 at $0.50 and loses 213.20 at $0.80, as the tests show.
"""

from __future__ import annotations

import sys

import numpy as np

from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import Table, load
from calibrant.decisions import CostBenefit, CostMatrix, cost_benefit

BENEFIT = 15.0  # of a response, net of the letter
BOOK = {
    0.50: "no subset earns more than mailing everybody",
    0.80: "46.7 % earn 4,560.60, a random sample of that size -99.59",
}


def main() -> None:
    y, p = predictions(load("zadrozny.kdd98"))
    analyses = {price: analyse(y, p, price) for price in BOOK}
    for price, result in analyses.items():
        print(f"A letter costs ${price:.2f}. The book: {BOOK[price]}. Ours:\n{result!r}\n")
        print(f"  everybody: {result.at(fraction=1.0).benefit:,.2f}")
        print(f"  half of the respondents: {result.at(recall=0.5)!r}\n".replace("CostBenefitPoint: ", ""))
    if len(sys.argv) > 1:
        draw(analyses, sys.argv[1])


def predictions(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Fit naive Bayes to the even rows and predict the odd ones."""
    y = (np.asarray(table.y).astype(str) == str(table.positive)).astype(int)
    model = NaiveBayesClassifier().fit(table.X.iloc[0::2], y[0::2])
    return y[1::2], model.predict_proba(table.X.iloc[1::2])[:, 1]


def analyse(y: np.ndarray, p: np.ndarray, price: float) -> CostBenefit:
    return cost_benefit(y, p, CostMatrix.from_benefits([[0, -price], [0, BENEFIT]]))


def draw(analyses: dict[float, CostBenefit], path: str) -> None:
    """Draw the benefit against the share of the list that is mailed, as on the right of the book's figure."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5.8, 4.4), layout="constrained")
    for price, result in analyses.items():
        (line,) = ax.plot(result.fraction, result.benefit, label=f"${price:.2f} per letter")
        ax.plot(result.fraction, result.random, linestyle=":", color=line.get_color())
        ax.plot(result.best.fraction, result.best.benefit, "x", markersize=10, color=line.get_color())
    ax.set(xlabel="share of the list mailed, most likely first", ylabel="benefit (dotted: random sample)")
    ax.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
