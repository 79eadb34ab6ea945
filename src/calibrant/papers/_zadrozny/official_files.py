"""The official files of KDD'98: cup98LRN, cup98VAL and valtargt, as the UCI KDD archive distributes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calibrant.exceptions import ReadError
from calibrant.papers._zadrozny.mailing import Mailing, expected_gifts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["find_official_files", "read_official_files"]

_STEMS: Final = ("cup98lrn", "cup98val", "valtargt")
_SUFFIXES: Final = (".txt", ".csv", ".zip", ".gz")
_NUMBERS: Final = ("INCOME", "FISTDATE", "LASTDATE", "NGIFTALL", "NUMPROM", "RFA_2F", "LASTGIFT", "AVGGIFT")
_TEXTS: Final = ("RFA_2A", "PEPSTRFL")
_FIELDS: Final = ("CONTROLN", *_NUMBERS, *_TEXTS)
_TARGETS: Final = ("TARGET_B", "TARGET_D")


def find_official_files(folder: str | os.PathLike[str] | None = None) -> dict[str, Path] | None:
    """Return the three files of a folder by stem in lower case, or None if one is missing.

    Parameters
    ----------
    folder : str or path, optional
        The folder; by default the one that ``CALIBRANT_DATA`` names.
    """
    home = os.environ.get("CALIBRANT_DATA") if folder is None else folder
    if not home or not Path(home).is_dir():
        return None
    files = {path.stem.lower(): path for path in sorted(Path(home).iterdir()) if path.suffix.lower() in _SUFFIXES}
    return {stem: files[stem] for stem in _STEMS} if all(stem in files for stem in _STEMS) else None


def read_official_files(files: Mapping[str, Path], name: str) -> Mailing:
    """Return the people of the learning set and, after them, those of the test set, with seven attributes.

    Fields are separated by commas below a line of names, and a blank field is missing. The responses of the learning
    set stand in its own file, those of the test set in ``valtargt``, joined by CONTROLN.

    Parameters
    ----------
    files : dict of stem to path
        The files of `find_official_files`.
    name : str
        The name of the data set.

    Returns
    -------
    Mailing
        The rows, with the official split.

    Raises
    ------
    ReadError
        If a file lacks a field, or a person of the test set has no response or several.
    """
    import pandas as pd

    learning = _read_file(files["cup98lrn"], (*_FIELDS, *_TARGETS))
    test = _with_targets(_read_file(files["cup98val"], _FIELDS), _read_file(files["valtargt"], ("CONTROLN", *_TARGETS)))
    frame = pd.concat([learning, test], ignore_index=True)
    split = np.arange(len(learning)), np.arange(len(learning), len(frame))
    numbers = {field: pd.to_numeric(frame[field]) for field in (*_NUMBERS, *_TARGETS)}
    y = pd.Series(np.where(numbers["TARGET_B"] == 1, "1", "0"), name="TARGET_B")
    amount = numbers["TARGET_D"].to_numpy(dtype=np.float64)
    gifts = np.column_stack([numbers["LASTGIFT"], numbers["AVGGIFT"]]).astype(np.float64)
    expected = expected_gifts(gifts, y, amount, split=split)
    return Mailing(name, _attributes(frame, numbers), y, None, amount, expected, split)


def _read_file(path: Path, fields: tuple[str, ...]) -> pd.DataFrame:
    """Return some fields of a file as text, missing where they are blank."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, usecols=list(fields), dtype=str, skipinitialspace=True, keep_default_na=False)
    except ValueError as error:
        raise ReadError(f"{path.name} must have the fields {', '.join(fields)}: {error}") from error
    stripped: pd.DataFrame = frame.apply(lambda column: column.str.strip().replace("", None))
    return stripped


def _with_targets(people: pd.DataFrame, targets: pd.DataFrame) -> pd.DataFrame:
    """Join the responses to the people by CONTROLN."""
    if targets["CONTROLN"].duplicated().any() or not people["CONTROLN"].isin(targets["CONTROLN"]).all():
        raise ReadError("valtargt must have one response for each CONTROLN of cup98VAL; copy both files again.")
    return people.merge(targets, on="CONTROLN", how="left", validate="many_to_one")


def _attributes(frame: pd.DataFrame, numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Return the seven attributes; dates are months, and a blank PEPSTRFL is a value: no star."""
    import pandas as pd

    return pd.DataFrame(
        {
            "INCOME": numbers["INCOME"],
            "FISTDATE": _months(numbers["FISTDATE"]),
            "LASTDATE": _months(numbers["LASTDATE"]),
            "GIFTS_PER_PROMOTION": numbers["NGIFTALL"] / numbers["NUMPROM"],
            "RFA_2F": numbers["RFA_2F"],
            "RFA_2A": frame["RFA_2A"],
            "PEPSTRFL": frame["PEPSTRFL"].fillna("none"),
        }
    )


def _months(dates: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates written as year and month, such as 9506, as a number of months; 0 is missing."""
    known = dates.where(dates > 0)
    return 12 * (known // 100) + known % 100
