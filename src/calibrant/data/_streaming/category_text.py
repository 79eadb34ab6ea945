"""Numbers as the strings that a model knows as categories, for columns that were made nominal before `fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.columns import column_kinds

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._streaming.wanted_columns import SelectedColumns

__all__ = ["as_category_text"]


def as_category_text(X: pd.DataFrame, selection: SelectedColumns) -> pd.DataFrame:
    """Return the frame with columns of numbers as strings where the categories of the feature are strings.

    `read_table` writes numbers without a decimal point where all rows of the column are integral; of a chunk that is
    not known, so a number is written as the category that it equals.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._frames.schema import Feature
    >>> from calibrant.data._streaming.wanted_columns import SelectedColumns
    >>> zone = Feature("zone", "nominal", ("3", "7"))
    >>> selection = SelectedColumns({"zone": zone}, (), as_text=False)
    >>> as_category_text(pd.DataFrame({"zone": [7.0, None]}), selection)["zone"].tolist()
    ['7', nan]
    """
    named = [
        name
        for name, feature in selection.features.items()
        if feature is not None and feature.categories and all(isinstance(each, str) for each in feature.categories)
    ]
    kinds = column_kinds(X[named]) if named else {}
    numeric = {name: selection.features[name] for name in named if kinds[name] == "numeric"}
    texts = {name: _text(X[name], set(feature.categories)) for name, feature in numeric.items() if feature}
    return X.assign(**texts) if texts else X


def _text(column: pd.Series[Any], categories: set[str]) -> Any:
    import pandas as pd

    codes, values = pd.factorize(column)
    texts = [_spelled(value, categories) for value in np.asarray(values).tolist()]
    return pd.Categorical(np.array([*texts, None], dtype=object)[codes])


def _spelled(value: Any, categories: set[str]) -> str:
    is_integral = isinstance(value, float) and value.is_integer()
    return next((text for text in (str(int(value)),) if text in categories), str(value)) if is_integral else str(value)
