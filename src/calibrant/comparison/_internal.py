"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.comparison._all_pairs import Better, holm_corrected, method_pairs
from calibrant.comparison._mean_ranks import tied_ranks
from calibrant.comparison._t_tests import t_figures

__all__ = ["Better", "holm_corrected", "method_pairs", "t_figures", "tied_ranks"]
