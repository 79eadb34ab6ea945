"""Private functions of scikit-learn that calibrant uses: the one file to change when a release moves them."""

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils.validation import _num_samples as num_samples

__all__ = ["num_samples", "safe_indexing"]
