"""The fixed list of types that may stand in the skops document of a scikit-learn estimator.

skops itself guarantees that only types that it or its caller trusts are made; it does not look into them. It leaves out
``Tree`` and ``TreePredictor``, whose compiled code follows the child numbers of a file out of its arrays. This list is
shorter than the default one of skops: estimators that compute with NumPy alone, and those whose content
`sklearn_content` and `tree_nodes` check, because their compiled code relies on it.
"""

from __future__ import annotations

__all__ = ["EXTRA_TRUSTED", "is_trusted"]


def _classes(module: str, *names: str) -> frozenset[str]:
    """Return the full names of the classes of a module."""
    return frozenset(f"sklearn.{module}.{name}" for name in names)


_ESTIMATORS = frozenset[str]().union(
    _classes("calibration", "CalibratedClassifierCV", "_CalibratedClassifier", "_SigmoidCalibration"),
    _classes("compose._column_transformer", "ColumnTransformer", "make_column_selector"),
    _classes("decomposition._pca", "PCA"),
    _classes("decomposition._truncated_svd", "TruncatedSVD"),
    _classes("discriminant_analysis", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    _classes("dummy", "DummyClassifier", "DummyRegressor"),
    _classes("ensemble._bagging", "BaggingClassifier", "BaggingRegressor"),
    _classes("ensemble._forest", "ExtraTreesClassifier", "RandomForestClassifier"),
    _classes("ensemble._forest", "ExtraTreesRegressor", "RandomForestRegressor"),
    _classes("ensemble._gb", "GradientBoostingClassifier", "GradientBoostingRegressor"),
    _classes("ensemble._hist_gradient_boosting.binning", "_BinMapper"),
    _classes("ensemble._hist_gradient_boosting.gradient_boosting", "HistGradientBoostingClassifier"),
    _classes("ensemble._hist_gradient_boosting.gradient_boosting", "HistGradientBoostingRegressor"),
    _classes("ensemble._hist_gradient_boosting.predictor", "TreePredictor"),
    _classes("ensemble._stacking", "StackingClassifier"),
    _classes("ensemble._voting", "VotingClassifier"),
    _classes("ensemble._weight_boosting", "AdaBoostClassifier"),
    _classes("feature_selection._from_model", "SelectFromModel"),
    _classes("feature_selection._univariate_selection", "SelectKBest", "SelectPercentile"),
    _classes("feature_selection._variance_threshold", "VarianceThreshold"),
    _classes("impute._base", "MissingIndicator", "SimpleImputer"),
    _classes("isotonic", "IsotonicRegression"),
    _classes("linear_model._base", "LinearRegression"),
    _classes("linear_model._coordinate_descent", "ElasticNet", "ElasticNetCV", "Lasso", "LassoCV"),
    _classes("linear_model._huber", "HuberRegressor"),
    _classes("linear_model._logistic", "LogisticRegression", "LogisticRegressionCV"),
    _classes("linear_model._passive_aggressive", "PassiveAggressiveClassifier"),
    _classes("linear_model._perceptron", "Perceptron"),
    _classes("linear_model._ridge", "Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV"),
    _classes("linear_model._stochastic_gradient", "SGDClassifier", "SGDRegressor"),
    _classes("multiclass", "OneVsOneClassifier", "OneVsRestClassifier"),
    _classes("naive_bayes", "BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    _classes("neural_network._multilayer_perceptron", "MLPClassifier"),
    _classes("neural_network._stochastic_optimizers", "AdamOptimizer", "SGDOptimizer"),
    _classes("pipeline", "FeatureUnion", "Pipeline"),
    _classes("preprocessing._data", "Binarizer", "MaxAbsScaler", "MinMaxScaler", "Normalizer", "PolynomialFeatures"),
    _classes("preprocessing._data", "PowerTransformer", "QuantileTransformer", "RobustScaler", "StandardScaler"),
    _classes("preprocessing._discretization", "KBinsDiscretizer"),
    _classes("preprocessing._encoders", "OneHotEncoder", "OrdinalEncoder"),
    _classes("preprocessing._function_transformer", "FunctionTransformer"),
    _classes("preprocessing._label", "LabelBinarizer", "LabelEncoder"),
    _classes("preprocessing._polynomial", "PolynomialFeatures"),
    _classes("preprocessing._target_encoder", "TargetEncoder"),
    _classes("svm._classes", "LinearSVC", "NuSVC", "SVC"),
    _classes("tree._classes", "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier"),
    _classes("tree._classes", "ExtraTreeRegressor"),
    _classes("_loss.link", "HalfLogitLink", "IdentityLink", "Interval", "LogitLink", "LogLink", "MultinomialLogit"),
    _classes("_loss.loss", "ExponentialLoss", "HalfBinomialLoss", "HalfMultinomialLoss"),
    _classes("_loss.loss", "AbsoluteError", "HalfPoissonLoss", "HalfSquaredError", "HuberLoss"),
)
_LOSSES = _classes(
    "_loss._loss",
    "CyExponentialLoss",
    "CyHalfBinomialLoss",
    "CyHalfMultinomialLoss",
    "CyAbsoluteError",
    "CyHalfPoissonLoss",
    "CyHalfSquaredError",
    "CyHuberLoss",
) | _classes(
    "linear_model._sgd_fast",
    "EpsilonInsensitive",
    "Hinge",
    "ModifiedHuber",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
)
_NUMBERS = frozenset(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "float16", "float32", "float64", "str_", "intp", "uintp", "longlong", "ulonglong"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)
_PLAIN = frozenset(f"builtins.{name}" for name in ("bool", "float", "int", "str"))
_FUNCTIONS = _classes("feature_selection._univariate_selection", "chi2", "f_classif") | frozenset(
    f"numpy.{name}"
    for name in (
        "abs",
        "absolute",
        "cbrt",
        "exp",
        "expm1",
        "log",
        "log10",
        "log1p",
        "log2",
        "sign",
        "sqrt",
        "square",
        "tanh",
    )
)

# What a loader of skops may make; loaders that are not here call functions, import modules or read other formats.
_TRUSTED: dict[str, frozenset[str]] = {
    "DTypeNode": frozenset(("numpy.dtype",)),
    "DictNode": frozenset(("builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch")),
    "FunctionNode": _FUNCTIONS,
    "JsonNode": frozenset(("builtins.str",)),
    "ListNode": frozenset(("builtins.list",)),
    "LossNode": _LOSSES,
    "NdArrayNode": _NUMBERS | {"numpy.ndarray"},
    "ObjectNode": _ESTIMATORS,
    "RandomGeneratorNode": frozenset(("numpy.random._generator.Generator",)),
    "RandomStateNode": frozenset(("numpy.random.mtrand.RandomState",)),
    "SetNode": frozenset(("builtins.set",)),
    "SliceNode": frozenset(("builtins.slice",)),
    "TreeNode": frozenset(("sklearn.tree._tree.Tree",)),
    "TupleNode": frozenset(("builtins.tuple",)),
    "TypeNode": _NUMBERS | _PLAIN | {"builtins.object"},
}
EXTRA_TRUSTED = sorted(frozenset[str]().union(*_TRUSTED.values()))


def is_trusted(loader: object, name: str) -> bool:
    """Return whether a loader of skops may make this type."""
    return isinstance(loader, str) and name in _TRUSTED.get(loader, ())
