"""Passages that the docstrings of several tests share; `document_test` fills them in."""

from __future__ import annotations

from calibrant._docstrings import fill_docstring, sections

_PASSAGES = {
    "pairs": """\
a, b : sequence of length n
    The values of the two methods; those at one position belong together.""",
    "trials": """\
a, b : sequence of length n
    The values of the two methods; those at one position come from the same trial.""",
    "interval_and_names": """\
confidence : float
    Confidence of the interval of the difference.
names : tuple of two str
    The names of the methods in the printed result.""",
    "pair_sections": sections("%(pairs)s", "%(interval_and_names)s", returns="Comparison"),
    "t_figures": """\
Comparison
    ``statistic``, ``df``, ``pvalue``, ``difference`` (mean of a less mean of b), ``low``, ``high``.""",
    "dataset_table": """\
table : frame or array of data sets x methods, or what `win_tie_loss` takes
    The values: a row for each data set; or the trials of each, which are averaged first.""",
    "better": """\
better : {"higher", "lower"}
    Which of two values is the better one: ``METRICS["mse"].better``.""",
    "rank_confidence": """\
confidence : float
    The chance of finding no difference where no methods differ.""",
    "by_and_methods": """\
by : str, optional
    The column of a frame that holds the data set.
methods : list of str, optional
    The names of the columns of arrays.""",
    "rope": """\
rope : float
    The difference that does not matter: the region of practical equivalence is from -rope to rope.""",
    "difference": """\
difference : float
    How much greater the first method's values are; `measure` describes in what sense.""",
    "n_and_test": """\
n : int
    Number of pairs.
test : str
    Name of the test.""",
}
document_test = fill_docstring(**_PASSAGES)
