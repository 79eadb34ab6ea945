"""Reports: sections on one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._docstrings import fill_docstring
from calibrant._sections import Section, sections_html
from calibrant._whole_file import whole_file

if TYPE_CHECKING:
    from calibrant.studies import Study, StudyResults, TableComparison


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report: one HTML file that needs no network and no server.

    Parameters
    ----------
    title : str
        Its title.
    sections : tuple of Section
        What it consists of, the answer first.
    models : tuple of str
        The models it is about, in the order of their colours.
    summary : dict
        Of a report on predictions, what it says, for programs: ``verdicts`` and ``money`` by model, the ``best`` model
        and ``warnings``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(500)
    >>> report = Report.from_predictions(rng.random(500) < proba, proba, n_boot=100)
    >>> report.sections[0].name
    'answer'
    >>> import tempfile
    >>> path = report.save(f"{tempfile.mkdtemp()}/report.html")
    >>> path.read_text(encoding="utf-8").startswith("<!doctype html>")
    True
    """

    title: str
    sections: tuple[Section, ...]
    models: tuple[str, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @fill_docstring()
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        name: str = "model",
        costs: Any = None,
        amount: Any = None,
        by: Any = None,
        groups: Any = None,
        ids: Any = None,
        sample_weight: Any = None,
        weight_kind: str = "frequency",
        pos_label: Any = None,
        labels: Any = None,
        reference: str | None = None,
        model: Any = None,
        title: str | None = None,
        rows: bool = True,
        confidence: float = 0.95,
        n_boot: int = 1000,
        random_state: int = 0,
        source: str | None = None,
        command: str | None = None,
    ) -> Report:
        """Make a report on the predictions of one model, or of several for the same rows.

        Parameters
        ----------
        %(y_true)s
        %(y_proba_models)s
        name : str
            The name of a single model.
        costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions), optional
            The costs of decisions: the report then tells what errors cost.
        amount : float or sequence of length n_rows, optional
            With `ExampleCosts`, the actual amount of each positive row.
        by : sequence of length n_rows, or dict of name to such a sequence, optional
            Segments of the rows, at most 200 of a column.
        groups : sequence of length n_rows, optional
            The cluster of each row, such as the patient of several rows.
        ids : sequence of length n_rows, optional
            The id of each row; raise if one stands in several rows and `groups` is not passed.
        %(prediction_options)s
        weight_kind : {"frequency", "probability"}
            Whether a weight of 2 means the row twice, or one row that represents two of the population.
        reference : str, optional
            The model that the others are compared with; by default the best one.
        model : estimator, or dict of name to estimator, optional
            Fitted models: a tree is drawn, others are described.
        title : str, optional
            The title.
        rows : bool
            Whether the file may contain something of single rows, such as their probabilities. If not, at least ten
            rows share every number of a curve.
        confidence : float
            That of intervals.
        n_boot : int
            Number of bootstrap replicates.
        random_state : int
            The seed of what is resampled.
        source : str, optional
            Where the predictions come from, for the record.
        command : str, optional
            The command that makes the report, for the record.

        Returns
        -------
        Report
            The report.

        Examples
        --------
        >>> report = Report.from_predictions([0, 1] * 50, [0.3, 0.6] * 50, costs=[[0, 1], [5, 0]], n_boot=100)
        >>> report.models
        ('model',)
        """
        from calibrant.report._predictions.read_report_data import read_report_data
        from calibrant.report._predictions.section_list import sections_of, summary_of

        data = read_report_data(
            y_true, y_proba, name=name, costs=costs, amount=amount, by=by, groups=groups, ids=ids,
            sample_weight=sample_weight, weight_kind=weight_kind, pos_label=pos_label, labels=labels,
            reference=reference, model=model, rows=rows, confidence=confidence, n_boot=n_boot,
            random_state=random_state, source=source or "", command=command or "",
        )  # fmt: skip
        sections = sections_of(data)
        shown = title or f"Report on {', '.join(data.names)}"
        return cls(shown, sections, data.names, summary_of(data, sections))

    @classmethod
    def from_comparison(
        cls, found: TableComparison, *, title: str | None = None, rows: bool = True, command: str | None = None
    ) -> Report:
        """Make a report on a table on which methods were compared.

        It opens with the advice; then come the ranking with intervals and tests, the sections of the held-out
        predictions of the best method and, where the store has them, of up to three that follow it, and how it was
        made.

        Parameters
        ----------
        found : TableComparison
            What `calibrant.studies.compare_table` returned.
        title : str, optional
            The title.
        rows : bool
            Whether the file may contain something of single rows.
        command : str, optional
            The command that makes the report, for the record.

        Returns
        -------
        Report
            The report.

        Examples
        --------
        >>> import tempfile
        >>> from calibrant.data import load
        >>> from calibrant.studies import compare_table
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = compare_table(load("appeal").take(range(300)), methods=["naive Bayes"], store=f"{folder}/s.db")
        ...     report = Report.from_comparison(found)
        >>> report.models, [section.name for section in report.sections][:3]
        (('naive Bayes',), ['check', 'answer', 'ranking'])
        """
        from calibrant.report._comparison_sections import comparison_sections

        sections, names = comparison_sections(found, rows=rows, command=command)
        shown = title or f"{found.table.name}: which method predicts “{found.compared.target}” best?"
        return cls(shown, sections, names)

    @classmethod
    def from_study(
        cls,
        study: Study | StudyResults,
        *,
        metrics: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
        test: str | None = None,
        reference: str | None = None,
        confidence: float = 0.95,
        title: str | None = None,
        command: str | None = None,
    ) -> Report:
        """Make a report on a study: how far it is, and for each metric means, ranks, differences, wins and losses.

        Parameters
        ----------
        study : Study or StudyResults
            The study, also while it runs.
        metrics, datasets : sequences of str, optional
            Some of its metrics and data sets; all by default.
        test, reference : str, optional
            The test, and the method that all others are compared with, as in `calibrant.studies.Study.compare`.
        confidence : float
            That of intervals and tests.
        title : str, optional
            The title.
        command : str, optional
            The command that makes the report, for the record.

        Returns
        -------
        Report
            The report.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21], [0.10, 0.11, 0.12]], "wine": [[0.3, 0.2, 0.3], [0.2, 0.2, 0.1]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse")
        >>> [section.name for section in Report.from_study(results).sections]
        ['answer', 'metric-0', 'how-made']
        """
        from calibrant.report._study_sections import study_sections

        name, sections = study_sections(study, metrics, datasets, test, reference, confidence, command)
        return cls(title or f"Study: {name}", sections)

    @classmethod
    def from_reproduction(cls, found: Any, *, title: str | None = None, command: str | None = None) -> Report:
        """Make a report on a reproduced paper: which findings hold, published figures beside ours, pictures.

        Parameters
        ----------
        found : Reproduction
            What `calibrant.papers.reproduce` returned.
        title : str, optional
            The title.
        command : str, optional
            The command that makes the report, for the record.

        Returns
        -------
        Report
            The report.

        Examples
        --------
        >>> from calibrant.papers import Cell, Finding, PaperTable, Published, Reproduction
        >>> table = PaperTable("table_1", "Table 1: MSE", (Cell("Laplace", "test", 0.2, Published("0.2"), error=0.1),))
        >>> finding = Finding("laplace", "Laplace helps.", "holds", "0.2 against 0.3.", "Table 1")
        >>> made = Reproduction("a-paper", "A. Author", "quick", 10, 1.5, (table,), (finding,))
        >>> [section.name for section in Report.from_reproduction(made).sections]
        ['answer', 'table-1', 'how-made']
        """
        from calibrant.report._reproduction_sections import reproduction_sections

        return cls(title or f"Reproduced: {found.paper}", reproduction_sections(found, command))

    def to_html(self) -> str:
        """Return the report as an HTML page.

        Examples
        --------
        >>> Report("Nothing", ()).to_html().count("<h1")
        1
        """
        from calibrant.report._page.render import page_html

        return page_html(self.title, self.sections, self.models)

    def save(self, path: str | Path) -> Path:
        """Write the report to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file, whose folder must exist.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> Report("Nothing", ()).save(f"{tempfile.mkdtemp()}/report.html").name
        'report.html'
        """
        html = self.to_html()
        with whole_file(Path(path)) as file:
            file.write(html.encode())
        return Path(path)

    def __repr__(self) -> str:
        models = f" on {', '.join(self.models)}" if self.models else ""
        return f"Report{models}: {self.title!r}, {len(self.sections)} sections; save(path) writes it"

    def _repr_html_(self) -> str:
        return sections_html(self.sections)
