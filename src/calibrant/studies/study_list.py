"""The studies of a store: listing and deleting them."""

from __future__ import annotations

from os import PathLike

from calibrant.studies._store.catalogue import StudySummary
from calibrant.studies._store.read_url import DEFAULT_STORE
from calibrant.studies._store.store import Store
from calibrant.studies._trials.stored_document import read_stored_study

__all__ = ["delete_study", "list_studies"]


def list_studies(store: str | PathLike[str] = DEFAULT_STORE) -> list[StudySummary]:
    """Return the studies of a store, sorted by name.

    Parameters
    ----------
    store : str or path
        The store; it need not be writable.

    Returns
    -------
    list of StudySummary
        Name, numbers of trials and failed trials, and when each study was made and last written to.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.studies import Study, list_studies
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Study("bayes", datasets=["appeal"], methods={"bayes": "calibrant.bayes.NaiveBayesClassifier"},
    ...                   plan=2, store=f"{folder}/studies.db")
    ...     status = study.run()
    ...     [(each.name, each.n_trials) for each in list_studies(f"{folder}/studies.db")]
    [('bayes', 2)]
    """
    with Store.open(store, read_only=True, create=False) as opened:
        return opened.studies()


def delete_study(name: str, store: str | PathLike[str] = DEFAULT_STORE) -> None:
    """Remove a study and all its trials from a store, for good.

    Parameters
    ----------
    name : str
        The study.
    store : str or path
        Its store.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.studies import Study, delete_study, list_studies
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Study("bayes", datasets=["appeal"], methods={"bayes": "calibrant.bayes.NaiveBayesClassifier"},
    ...                   plan=2, store=f"{folder}/studies.db")
    ...     status = study.run()
    ...     delete_study("bayes", f"{folder}/studies.db")
    ...     list_studies(f"{folder}/studies.db")
    []
    """
    with Store.open(store, create=False) as opened:
        read_stored_study(opened, name)
        opened.delete(name)
