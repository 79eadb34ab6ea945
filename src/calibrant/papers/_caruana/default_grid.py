"""The styles, nets and SVMs of the default size, chosen on the validation rows of LETTER.P2 from all of them.

The study ``choice`` runs all ten styles, 24 nets and 121 SVMs on that problem; `choose.py` has the rule, and the table
``default_grid`` the figures. No test row was looked at.
"""

from __future__ import annotations

from calibrant.papers._caruana.model_grid import NetSetting, SvmSetting

__all__ = ["BAGGED_STYLES", "BOOSTED_STYLES", "NETS", "SVMS"]

BAGGED_STYLES = ("C44LS", "ID3")
BOOSTED_STYLES = ("ID3", "BAYES")
NETS = tuple(NetSetting(n_hidden, 0.9) for n_hidden in (1, 2, 4, 8, 32, 128))
SVMS = (
    SvmSetting("linear", C=0.1),
    *(SvmSetting("polynomial", degree=2, C=c) for c in (0.01, 0.1)),
    *(SvmSetting("polynomial", degree=3, C=c) for c in (0.001, 0.01)),
    SvmSetting("radial", gamma=0.001, C=1000.0),
    *(SvmSetting("radial", gamma=gamma, C=c) for gamma in (0.005, 0.01, 0.05, 0.1) for c in (100.0, 1000.0)),
    *(SvmSetting("radial", gamma=gamma, C=c) for gamma in (0.5, 1.0, 2.0) for c in (1.0, 10.0)),
)
