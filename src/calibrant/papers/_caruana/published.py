"""The figures of Caruana & Niculescu-Mizil (2004): Tables 2 and 4, means over seven problems."""

from __future__ import annotations

from calibrant.papers._reproduction.table import Published

_TABLE_2 = """
    ANN      0.8720 0.9033 0.2805 0.4143 0.0233
    BAG-DT   0.8728 0.9089 0.2818 0.4050 0.0314
    KNN      0.8688 0.8970 0.2861 0.4367 0.0270
    DT       0.8433 0.8671 0.3211 0.5019 0.0346
    SVM      0.8745 0.9067 0.3390 0.5767 0.0765
    BST-STMP 0.8470 0.8866 0.3659 0.6241 0.0502
    BST-DT   0.8828 0.9138 0.3050 0.4810 0.0542
"""
_TABLE_4 = """
    BST-DT   0.3050 0.2650 0.2652 0.4810 0.3727 0.3745
    SVM      0.3303 0.2727 0.2719 0.5767 0.3988 0.3984
    BAG-DT   0.2818 0.2815 0.2799 0.4050 0.4082 0.3996
    ANN      0.2805 0.2821 0.2806 0.4143 0.4229 0.4120
    KNN      0.2861 0.2871 0.2839 0.4367 0.4300 0.4186
    BST-STMP 0.3659 0.3098 0.3096 0.6241 0.4713 0.4734
    DT       0.3211 0.3212 0.3145 0.5019 0.5091 0.4865
"""


def _read(text: str, columns: tuple[tuple[str, str], ...]) -> dict[tuple[str, str, str], str]:
    """Return the printed figures by algorithm, map and metric."""
    lines = (line.split() for line in text.split("\n") if line.strip())
    return {(row, *column): figure for row, *figures in lines for column, figure in zip(columns, figures, strict=True)}


TABLE_2 = _read(_TABLE_2, tuple(("RAW", metric) for metric in ("ACC", "AUC", "RMS", "MXE", "CAL")))
TABLE_4 = _read(_TABLE_4, tuple((name, metric) for metric in ("RMS", "MXE") for name in ("RAW", "PLATT", "ISOTONIC")))


def published_figure(algorithm: str, name: str, metric: str) -> Published | None:
    """Return a figure of Table 4, or else of Table 2; None where neither has it.

    Examples
    --------
    >>> published_figure("SVM", "RAW", "RMS").text, TABLE_2["SVM", "RAW", "RMS"]  # the paper's two tables differ
    ('0.3303', '0.3390')
    """
    text = TABLE_4.get((algorithm, name, metric)) or TABLE_2.get((algorithm, name, metric))
    return None if text is None else Published(text)


def published_change(algorithm: str, name: str, metric: str) -> Published | None:
    """Return the change from raw to calibrated in Table 4.

    Examples
    --------
    >>> published_change("BST-DT", "PLATT", "RMS").text
    '-0.0400'
    """
    before, after = (TABLE_4.get((algorithm, each, metric)) for each in ("RAW", name))
    return None if before is None or after is None else Published(f"{float(after) - float(before):.4f}")
