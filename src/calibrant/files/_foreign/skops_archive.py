"""The archive that skops writes, read with checks: stored entries, plain arrays, and types of a fixed list only."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from calibrant.exceptions import ModelFileError


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


_NAMES = re.compile(r"schema\.json|[0-9]{1,20}\.npy")
_DEEPEST = 60  # a pipeline of a column transformer of pipelines is 30 deep, and Python itself stops at 1,000 calls
_MOST_NODES = 2_000_000  # a forest of 1,000 trees has 60,000
_GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")  # their states hold no index
_MT19937_LENGTH = 624


class SkopsArchive:
    """A checked archive of skops: its document, and its arrays by name."""

    def __init__(self, data: bytes) -> None:
        try:
            self._arrays, self.document = _entries(data)
            for node, path in _nodes(self.document):
                self._check_node(node, path)
                node.pop("__id__", None)  # skops would return another node of the same number, unseen by the checks
        except ModelFileError:
            raise
        except Exception as error:  # zipfile alone raises seven kinds
            raise ModelFileError(f"holds a damaged scikit-learn estimator ({error})") from error

    def array(self, node: Any) -> np.ndarray:
        """Return the array of an array node."""
        if not isinstance(node, dict) or node.get("__loader__") != "NdArrayNode" or node.get("type") != "numpy":
            raise ModelFileError("holds a scikit-learn estimator without an array that it needs")
        return np.load(io.BytesIO(self._arrays[node["file"]]), allow_pickle=False)  # type: ignore[no-any-return]

    def checked_bytes(self) -> bytes:
        """Return an archive of what was checked, and of nothing else."""
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("schema.json", json.dumps(self.document))
            for name, data in self._arrays.items():
                archive.writestr(name, data)
        return written.getvalue()

    def trees(self) -> Iterator[dict[str, Any]]:
        """Yield the nodes that become a compiled tree."""
        return (node for node, _ in _nodes(self.document) if node["__loader__"] == "TreeNode")

    def _check_node(self, node: dict[str, Any], path: str) -> None:
        name = f"{node['__module__']}.{node['__class__']}"
        if not is_trusted(node["__loader__"], name):
            raise ModelFileError(f"{path}{' ' if path else ''}is of a class that model files do not hold: {name}")
        if node["__loader__"] == "NdArrayNode" and node["type"] == "numpy":
            _check_array(self._arrays[node["file"]])
        if node["__loader__"] == "RandomStateNode" and not 0 <= _position(node) <= _MT19937_LENGTH:
            raise ModelFileError("holds a random state whose position is out of range")
        if node["__loader__"] == "RandomGeneratorNode":
            kind = json.loads(node["content"]["bit_generator"]["content"]["bit_generator"]["content"])
            if kind not in _GENERATORS:
                raise ModelFileError(f"holds a random generator of the kind {kind}; the known ones are {_GENERATORS}")


def _position(node: dict[str, Any]) -> int:
    """Return the position of a Mersenne twister in its key, which NumPy does not check."""
    return int(json.loads(node["content"]["content"]["state"]["content"]["pos"]["content"]))


def _entries(data: bytes) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the arrays and the document of an archive; its entries are stored as they are, so none can expand."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        names = [entry.filename for entry in entries]
        stored = all(entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1 for entry in entries)
        if len(set(names)) < len(names) or not all(map(_NAMES.fullmatch, names)) or not stored:
            raise ModelFileError("holds a scikit-learn estimator with entries that skops does not write")
        if sum(entry.file_size for entry in entries) > len(data):
            raise ModelFileError("holds a scikit-learn estimator whose entries overlap")
        found = {name: archive.read(name) for name in names}
    document = json.loads(found.pop("schema.json"))
    if not isinstance(document, dict) or document.get("protocol") != 2 or isinstance(document["protocol"], bool):
        raise ModelFileError("holds a scikit-learn estimator of another protocol of skops")
    return found, document


def _nodes(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every node of a document with its path, as in ``.steps[1][1].estimators_[0]``."""
    waiting: list[tuple[Any, str, int]] = [(document, "", 0)]
    seen = 0
    while waiting:
        item, path, depth = waiting.pop()
        seen += 1
        if depth > 2 * _DEEPEST or seen > _MOST_NODES:
            raise ModelFileError("holds a scikit-learn estimator that is nested too deeply or has too many parts")
        if isinstance(item, dict):
            if "__loader__" in item:
                yield item, path
            waiting += [(value, path + _step(item, key), depth + 1) for key, value in item.items()]
        elif isinstance(item, list):
            waiting += [(value, f"{path}[{position}]", depth + 1) for position, value in enumerate(item)]


def _step(item: dict[str, Any], key: str) -> str:
    """Return the text that a key adds to a path: a name for attributes and keys, nothing for the parts of a node."""
    return "" if "__loader__" in item or key == "args" else f".{key}"


def _check_array(data: bytes) -> None:
    """Raise if an array is not as long as its header says: NumPy allocates it first, and reads it then."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ModelFileError("holds an array in a format that NumPy does not write")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream, max_header_size=20_000)
    size = dtype.itemsize
    for length in shape:
        size *= int(length)
    if dtype.kind == "U" and size and int(np.frombuffer(data, dtype.str[0] + "u4", -1, stream.tell()).max()) > 0x10FFFF:
        raise ModelFileError("holds text of characters that do not exist")
    if dtype.hasobject or any(length < 0 for length in shape) or size != len(data) - stream.tell():
        raise ModelFileError("holds an array whose length is not that of its header")
