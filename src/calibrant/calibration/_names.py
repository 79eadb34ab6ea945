"""The registry of calibrators by name, and calibrators restored from `to_dict`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from calibrant._params import Choice, InstanceOf, check_param, choose
from calibrant._repr import short_repr
from calibrant.calibration._auto.auto import Auto
from calibrant.calibration._base import Calibrator
from calibrant.calibration._maps.beta import Beta
from calibrant.calibration._maps.binning import BBQ, Binning
from calibrant.calibration._maps.composed import Chain, Pairwise
from calibrant.calibration._maps.isotonic import Isotonic
from calibrant.calibration._maps.log_linear import Dirichlet, MatrixScaling, VectorScaling
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._maps.prior_shift import PriorShift
from calibrant.calibration._maps.quadratic_logit import QuadraticLogit
from calibrant.calibration._maps.spline import Spline
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._maps.venn_abers import VennAbers
from calibrant.exceptions import ParameterError

CALIBRATORS: dict[str, type[Calibrator]] = {
    "auto": Auto,
    "binning": Binning,
    "isotonic": Isotonic,
    "platt": Platt,
    "bbq": BBQ,
    "beta": Beta,
    "quadratic_logit": QuadraticLogit,
    "spline": Spline,
    "temperature": Temperature,
    "venn_abers": VennAbers,
    "dirichlet": Dirichlet,
    "matrix_scaling": MatrixScaling,
    "vector_scaling": VectorScaling,
    "pairwise": Pairwise,
    "prior_shift": PriorShift,
}

_CLASSES = {kind.__name__: kind for kind in CALIBRATORS.values()} | {"Chain": Chain}


def as_calibrator(name: str, given: Any) -> Calibrator:
    """Return the calibrator of a name, or the calibrator passed.

    Parameters
    ----------
    name : str
        The name of the parameter, for the error message.
    given : str or Calibrator
        The calibrator.

    Returns
    -------
    Calibrator
        The calibrator, not fitted.

    Examples
    --------
    >>> as_calibrator("calibrator", "platt")
    Platt()
    """
    check_param(
        name, given, Choice(*CALIBRATORS) | InstanceOf(Calibrator, words="a calibrator of calibrant.calibration")
    )
    return CALIBRATORS[given]() if isinstance(given, str) else cast("Calibrator", given)


def calibrator_from_dict(written: Mapping[str, Any]) -> Calibrator:
    """Return the calibrator that `to_dict` wrote, fitted where it was.

    Parameters
    ----------
    written : mapping
        The dict that `to_dict` returned, also after a round trip through JSON.

    Returns
    -------
    Calibrator
        The calibrator.

    Examples
    --------
    >>> platt = Platt(on="score").fit([0.1, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    >>> calibrator_from_dict(platt.to_dict()).predict([0.5]) == platt.predict([0.5])
    array([ True])
    """
    if not isinstance(written, Mapping) or not {"calibrator", "params"} <= written.keys():
        raise ParameterError(f"written must be what to_dict of a calibrator returns; got {short_repr(written)}.")
    kind = choose("calibrator", written["calibrator"], _CLASSES)
    params = {
        # Calibrators that are parameters of others were written as dicts.
        name: calibrator_from_dict(value) if isinstance(value, Mapping) and "calibrator" in value else value
        for name, value in written["params"].items()
    }
    calibrator = kind(**params)
    return calibrator._restore(written) if "learnt" in written else calibrator
