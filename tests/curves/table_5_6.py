"""Table 5.6 of Witten, Frank & Hall (2011): 19 rows as printed, the others of 150 tied below them."""

from __future__ import annotations

import numpy as np

PREDICTED = [0.95, 0.93, 0.93, 0.88, 0.86, 0.85, 0.82, 0.80, 0.80, 0.79, 0.77, 0.76, 0.73, 0.65, 0.63, 0.58, 0.56, 0.49]
PREDICTED += [0.48]
IS_YES = [1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]

proba = np.concatenate([PREDICTED, np.full(131, 0.1)])
is_yes = np.concatenate([IS_YES, np.ones(50 - sum(IS_YES)), np.zeros(81 + sum(IS_YES))])
y = np.where(is_yes == 1, "yes", "no")
