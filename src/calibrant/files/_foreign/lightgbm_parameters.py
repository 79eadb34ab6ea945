"""The parameters of LightGBM's classifier that a model file may hold: LightGBM passes all of them on as one text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from calibrant.exceptions import ModelFileError

__all__ = ["check_lightgbm_parameters", "check_threads"]

# Not among them: names of files, machines and devices, and ``predict_disable_shape_check``, which lets rows of too few
# columns be read beyond their end.
_KNOWN = """
    bagging_fraction bagging_freq bagging_seed boost boost_from_average boosting boosting_type cat_l2 cat_smooth
    class_weight colsample_bynode colsample_bytree data_random_seed deterministic drop_rate drop_seed
    early_stopping_round early_stopping_rounds early_stopping_min_delta extra_seed extra_trees feature_fraction
    feature_fraction_bynode feature_fraction_seed first_metric_only force_col_wise force_row_wise
    importance_type interaction_constraints is_unbalance lambda_l1 lambda_l2 learning_rate max_bin
    max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_drop metric min_child_samples
    min_child_weight min_data_in_bin min_data_in_leaf min_data_per_group min_gain_to_split min_split_gain
    min_sum_hessian_in_leaf monotone_constraints monotone_constraints_method monotone_penalty n_estimators
    n_jobs neg_bagging_fraction num_class num_grad_quant_bins num_leaves num_threads objective objective_seed
    other_rate path_smooth pos_bagging_fraction quant_train_renew_leaf random_state reg_alpha reg_lambda
    scale_pos_weight seed sigmoid silent skip_drop stochastic_rounding subsample subsample_for_bin
    subsample_freq top_rate uniform_drop unbalanced_sets use_missing use_quantized_grad verbose verbosity
    xgboost_dart_mode zero_as_missing
"""
_WORD = re.compile(r"[A-Za-z0-9_.,:+-]{0,200}")
_MOST_THREADS = 1024  # OpenMP ends the process where it cannot start as many as requested
_GENERATORS = (np.random.RandomState, np.random.Generator)


def check_lightgbm_parameters(parameters: dict[str, Any]) -> None:
    """Raise if a parameter is not known to be harmless."""
    check_threads(parameters)
    for name, value in parameters.items():
        if name not in _KNOWN.split():
            raise ModelFileError(f".{name} is a parameter of LightGBM that model files do not hold")
        is_allowed = name == "random_state" and isinstance(value, _GENERATORS)
        if name != "class_weight" and not is_allowed and not _is_plain(value):
            raise ModelFileError(f".{name} must be a number, a word, or a list of numbers or words")


def check_threads(parameters: dict[str, Any]) -> None:
    """Raise if a parameter requests more threads than a machine has."""
    for name in ("n_jobs", "nthread", "num_threads"):
        value = parameters.get(name)
        if isinstance(value, int) and abs(value) > _MOST_THREADS:
            raise ModelFileError(f".{name} must be at most {_MOST_THREADS}")


def _is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if isinstance(value, list | tuple):
        return depth < 2 and all(_is_plain(each, depth + 1) for each in value)
    return value is None or isinstance(value, bool | int | float | np.integer | np.floating | np.bool_)
