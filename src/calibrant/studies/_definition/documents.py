"""Documents of studies: their digests, the same in every process, and their differences in sentences."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from calibrant._repr import short_repr


def canonical_json(document: Any) -> str:
    """Return a document as JSON text with sorted keys and without spaces: equal documents have the same text.

    Examples
    --------
    >>> canonical_json({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(document: Any) -> str:
    """Return the SHA-256 of a JSON document, as 64 hexadecimal digits.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()


CHOSEN = "chosen"  # the name of the method that a nested plan tests

# Parameters that change how long a fit takes but not its result, in these packages
_NO_EFFECT = {"n_jobs", "verbose"}
_PACKAGES = ("calibrant.", "sklearn.")


def key_document(document: Any) -> Any:
    """Return a description of a method without the parameters that do not change what it predicts.

    Examples
    --------
    >>> key_document({"class": "calibrant.ensembles.BPETsClassifier", "params": {"n_jobs": 2, "n_trees": 10}})
    {'class': 'calibrant.ensembles.BPETsClassifier', 'params': {'n_trees': 10}}
    """
    if isinstance(document, list):
        return [key_document(each) for each in document]
    if not isinstance(document, Mapping):
        return document
    reduced = {name: key_document(each) for name, each in document.items()}
    if str(document.get("class", "")).startswith(_PACKAGES) and "params" in document:
        params = {name: each for name, each in reduced.pop("params").items() if name not in _NO_EFFECT}
        reduced |= {"params": params} if params else {}
    return reduced


def method_digests(methods: Mapping[str, Any], choose_by: str | None, metric_params: Any) -> dict[str, str]:
    """Return the digest of each method, or with `choose_by` that of the choice among all of them.

    Examples
    --------
    >>> list(method_digests({"a": 1, "b": 2}, None, {})), list(method_digests({"a": 1, "b": 2}, "auc", {}))
    (['a', 'b'], ['chosen'])
    """
    reduced = {name: key_document(each) for name, each in methods.items()}
    if choose_by is None:
        return {name: digest(each) for name, each in reduced.items()}
    chosen = {"choose_by": choose_by, "params": metric_params.get(choose_by), "candidates": list(reduced.items())}
    return {CHOSEN: digest(chosen)}


_LONGEST = 200  # characters of a text


def document_text(document: Any) -> str:
    """Return a described value as it is written in Python.

    Examples
    --------
    >>> document_text({"class": "calibrant.estimates.MEstimate", "params": {"m": 2}})
    'MEstimate(m=2)'
    >>> document_text({"tuple": [1, {"float": "inf"}, "a"]}), document_text({"function": "numpy.mean"})
    ("(1, inf, 'a')", 'numpy.mean')
    """
    text = _text(document)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}...{text[-17:]}"


def _text(document: Any) -> str:
    if isinstance(document, list):
        return f"[{', '.join(map(_text, document))}]"
    if not isinstance(document, Mapping):
        return repr(document)
    if "class" in document:
        params = (f"{name}={_text(each)}" for name, each in document.get("params", {}).items())
        return f"{document['class'].rpartition('.')[2]}({', '.join(params)})"
    if "tuple" in document:
        items = ", ".join(map(_text, document["tuple"]))
        return f"({items},)" if len(document["tuple"]) == 1 else f"({items})"
    if "array" in document:
        return f"array({_text(document['array']) if isinstance(document['array'], list) else '...'})"
    for form in ("function", "type", "float", "opaque", "column", "load", "file"):
        if form in document:
            return str(document[form])
    if "partial" in document:
        return f"partial({_text(document['partial'])}, ...)"
    return f"{{{', '.join(f'{short_repr(key)}: {_text(each)}' for key, each in document.items())}}}"


def default_text(kind: str, name: str) -> str:
    """Return the default of a parameter of a class, in words where the class is not imported.

    Examples
    --------
    >>> import calibrant.calibration
    >>> default_text("calibrant.calibration.Binning", "n_bins"), default_text("nowhere.Model", "depth")
    ('10', 'its default')
    """
    module, _, class_name = kind.rpartition(".")
    found = getattr(sys.modules.get(module), class_name, None)
    try:
        default = inspect.signature(found).parameters[name].default  # type: ignore[arg-type]
    except (TypeError, ValueError, KeyError):
        return "its default"
    return "its default" if default is inspect.Parameter.empty else short_repr(default)


_MISSING: Any = object()
_RUN_AGAIN = "trials run again to add"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the differences between two documents of `StudyDefinition`, a sentence each.

    Parameters
    ----------
    old, new : dict
        The document in the store, and that of the study as it is defined now.

    Returns
    -------
    list of str
        First what makes trials of the store count no longer, then what is new or gone. Names of files, numbers of
        threads, the order of methods and the like change no trial and are no difference.

    Examples
    --------
    >>> from calibrant.studies._definition.definition import define_study
    >>> from calibrant.trees import ProbabilityTreeClassifier as Tree
    >>> one, other = (
    ...     define_study("s", datasets=["iris"], methods={"tree": Tree(min_leaf=n)}, metrics=["auc"], seed=n).document
    ...     for n in (1, 2)
    ... )
    >>> for sentence in differences(one, other):
    ...     print(sentence)
    seed is 2; in the store 1: no trial counts any more.
    method 'tree' has min_leaf=2; in the store min_leaf=1.
    """
    every = (_of_all, _of_datasets, _of_methods, _of_metrics, _of_records)
    return [sentence for compare in every for sentence in compare(old, new)]


def _of_all(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences of the seed and the plan, on which every trial depends."""
    if old["seed"] != new["seed"]:
        yield f"seed is {new['seed']}; in the store {old['seed']}: no trial counts any more."
    if digest(old["plan"]) != digest(new["plan"]):
        now, before = document_text(new["plan"]), document_text(old["plan"])
        yield f"plan is {now}; in the store {before}: no trial counts any more."
    if old["choose_by"] != new["choose_by"] and None not in (old["choose_by"], new["choose_by"]):
        yield f"choose_by is {new['choose_by']!r}; in the store {old['choose_by']!r}: no trial counts any more."


def _of_datasets(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, now = _by_name(old["datasets"]), _by_name(new["datasets"])
    for name in (each for each in now if each in before):
        was, is_now = (each[name].get("fingerprint", "") for each in (before, now))
        if was and is_now and was != is_now:
            yield f"data set {name!r} changed: its rows differ (fingerprint {is_now[:8]}; in the store {was[:8]})."
        elif not (was and is_now):  # the rows of one are not known
            for role in dict.fromkeys((*now[name], *before[name])):
                old_value, value = (each[name].get(role) for each in (before, now))
                if role not in ("fingerprint", "name") and digest(old_value) != digest(value):
                    texts = f"{role}={document_text(value)}; in the store {role}={document_text(old_value)}"
                    yield f"data set {name!r} has {texts}."
    yield from _new_and_gone("data set", before, now)


def _of_methods(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, now = ({each["name"]: each["method"] for each in document["methods"]} for document in (old, new))
    was, is_now = (method_digests(methods, None, {}) for methods in (before, now))
    for name in (each for each in now if each in before):
        if was[name] != is_now[name]:
            yield from _of_values(f"method {name!r}", before[name], now[name])
    yield from _new_and_gone("method", before, now)
    if new["choose_by"] is not None and was != is_now:
        yield "the methods are the candidates that the plan chooses among: no trial counts any more."


def _of_values(what: str, before: Any, now: Any) -> Iterator[str]:
    """Yield the parameters that differ, or the whole where the classes do."""
    changes = list(_changed_parameters(before, now, ""))
    if not changes:
        yield f"{what} is {document_text(now)}; in the store {document_text(before)}."
    else:
        has, had = (", ".join(f"{name}={each[side]}" for name, each in changes) for side in (1, 0))
        yield f"{what} has {has}; in the store {had}."


def _changed_parameters(before: Any, now: Any, prefix: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each parameter that differs, with its value before and now as text."""
    are_objects = all(isinstance(each, Mapping) and "class" in each for each in (before, now))
    if not are_objects or before["class"] != now["class"]:
        return
    old, new = before.get("params", {}), now.get("params", {})
    for name in dict.fromkeys((*new, *old)):
        pair = old.get(name, _MISSING), new.get(name, _MISSING)
        if any(each is _MISSING for each in pair) or digest(pair[0]) != digest(pair[1]):
            texts = [default_text(now["class"], name) if each is _MISSING else document_text(each) for each in pair]
            inner = list(_changed_parameters(*pair, f"{prefix}{name}__"))
            yield from inner or [(f"{prefix}{name}", texts)]


def _of_metrics(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, now = _by_name(old["metrics"]), _by_name(new["metrics"])
    changed = changed_metrics(old, new)
    for name in now:
        if name not in before:
            yield f"metric {name!r} is new: {_RUN_AGAIN} it."
        elif name in changed:
            was, is_now = (document["metric_params"].get(name, {}) for document in (old, new))
            texts = f" to {document_text(is_now)}, in the store {document_text(was)}"
            keywords = "" if digest(was) == digest(is_now) else texts
            yield f"metric {name!r} changed{keywords}: its values in the store do not count."
    yield from (f"metric {name!r} is no longer in the study." for name in before if name not in now)


def _of_records(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    if new["tests_training"] and not old["tests_training"]:
        yield f"metrics of the training rows are new: {_RUN_AGAIN} them."
    if new["keeps_predictions"] and not old["keeps_predictions"]:
        yield f"predictions are kept from now on: {_RUN_AGAIN} them."


def changed_metrics(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Return the metrics of both documents whose values in the store are of another function or other keywords."""
    both = {each["name"] for each in old["datasets"]} & {each["name"] for each in new["datasets"]}
    before, now = (_metric_digests(document, both) for document in (old, new))
    return {name for name in now if name in before and before[name] != now[name]}


def _metric_digests(document: Mapping[str, Any], datasets: set[str]) -> dict[str, str]:
    """Return the digest of the function and the keywords of each metric, for all and for some data sets."""
    own = {each["name"]: each.get("metric_params", {}) for each in document["datasets"] if each["name"] in datasets}
    return {
        each["name"]: digest(
            [
                each.get("function"),
                document["metric_params"].get(each["name"], {}),
                {name: params.get(each["name"], {}) for name, params in own.items()},
            ]
        )
        for each in document["metrics"]
    }


def _by_name(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in items}


def _new_and_gone(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{what} {name!r} is new." for name in now if name not in before)
    yield from (f"{what} {name!r} is no longer in the study." for name in before if name not in now)
