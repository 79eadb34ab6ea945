"""Forms of neural nets: the weights after each epoch that is kept."""

from __future__ import annotations

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Integer, TupleOf
from calibrant.files._forms.data import COLUMNS, STANDARD_DESIGN, check_columns, check_standard_design
from calibrant.files._forms.legacy import Struct, estimator_form
from calibrant.files._forms.score_maps import need
from calibrant.neural import NeuralNetClassifier
from calibrant.neural._internal import NEURAL_NET_RULES, Net

__all__ = ["FORMS"]

_WEIGHTS = Array("f8", ndim=2, finite=True, low=-1e150, high=1e150)
_BIASES = Array("f8", finite=True, low=-1e150, high=1e150)
_NET = Struct(
    Net,
    {
        "epoch": Integer(1, 10**9),
        "hidden": _WEIGHTS,
        "hidden_bias": _BIASES,
        "output": _WEIGHTS,
        "output_bias": _BIASES,
    },
)


def _check(model: NeuralNetClassifier) -> None:
    check_columns(model)
    check_standard_design(model._design, model._schema)
    n_classes, epochs = len(model.classes_), [net.epoch for net in model._nets]
    need(epochs == sorted(set(epochs)) and (n_classes == 1) == (not epochs), "has other nets than epochs")
    for net in model._nets:
        _check_net(net, model._design.n_terms, n_classes if n_classes > 2 else 1)


def _check_net(net: Net, n_terms: int, n_outputs: int) -> None:
    (n_inputs, n_hidden), n_biases = net.hidden.shape, (len(net.hidden_bias), len(net.output_bias))
    need(n_inputs == n_terms and n_hidden >= 1, "has a net of other columns")
    need(net.output.shape == (n_hidden, n_outputs) and n_biases == (n_hidden, n_outputs), "has a net of other units")


FORMS = (
    estimator_form(
        "neural.NeuralNetClassifier",
        NeuralNetClassifier,
        {**COLUMNS, "_design": STANDARD_DESIGN, "_nets": TupleOf(_NET)},
        check=_check,
        rules=NEURAL_NET_RULES,
    ),
)
