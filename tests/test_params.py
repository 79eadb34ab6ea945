"""Rules accept what they say, and their messages say what they accept."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant._params import (
    Bool,
    Choice,
    HasMethods,
    InstanceOf,
    Int,
    Nothing,
    Real,
    Rule,
    Seed,
    check_param,
    check_params,
    choose,
)
from calibrant.exceptions import ParameterError

NUMPY_INTS = [np.int8(3), np.uint16(3), np.int64(3)]
NUMPY_REALS = [np.float16(0.5), np.float32(0.5), np.float64(0.5), np.longdouble(0.5)]
RULES = [
    Int(1, 3),
    Real(0, 1, closed="left"),
    Bool(),
    Nothing(),
    Choice("a", "b"),
    InstanceOf(int),
    HasMethods("fit"),
    Seed(),
    Int(1) | Nothing(),
]


@given(st.integers(), st.integers(), st.integers())
def test_an_int_rule_accepts_exactly_the_ints_between_its_limits(low: int, high: int, value: int) -> None:
    assert (value in Int(low, high)) == (low <= value <= high)
    assert (value in Int(low)) == (low <= value < 2**31)
    assert (value in Int(high=high)) == (-(2**31) < value <= high)


@given(st.floats(allow_nan=False), st.sampled_from(["both", "left", "right", "neither"]))
def test_a_real_rule_is_closed_on_the_sides_it_names(value: float, closed: str) -> None:
    rule = Real(-1, 1, closed=closed)  # type: ignore[arg-type]
    assert (value in rule) == (
        -1 < value < 1 or (value == -1 and closed in ("both", "left")) or (value == 1 and closed in ("both", "right"))
    )


@pytest.mark.parametrize("value", NUMPY_INTS)
def test_numpy_ints_are_ints_and_reals(value: np.integer) -> None:
    assert value in Int(3, 3)
    assert value in Real(3, 3)


@pytest.mark.parametrize("value", NUMPY_REALS)
def test_numpy_floats_are_reals_but_no_ints(value: np.floating) -> None:
    assert value in Real(0, 1)
    assert value not in Int()


def test_limits_beyond_a_small_numpy_type_do_not_overflow() -> None:
    assert np.int8(3) in Int(0, 2**40)
    assert np.float16(0.5) in Real(0, 1e300)
    assert np.float32(0.1) not in Real(0, 0.1)


@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, np.array(1), np.array([1])])
def test_neither_bools_nor_strings_nor_arrays_are_numbers(value: object) -> None:
    assert value not in Int()
    assert value not in Real()


@pytest.mark.parametrize("nan", [math.nan, np.nan, np.float32("nan")])
def test_nan_is_never_a_real(nan: float) -> None:
    assert nan not in Real()
    assert nan not in Real(-math.inf, math.inf)


def test_infinity_is_a_real_only_where_a_limit_names_it() -> None:
    assert math.inf not in Real(0)
    assert -math.inf not in Real(high=0)
    assert math.inf in Real(0, math.inf)
    assert math.inf not in Real(0, math.inf, closed="left")


def test_an_int_too_large_for_a_float_is_no_real() -> None:
    assert 10**400 not in Real(0)
    assert 10**400 not in Real(0, math.inf)
    assert 10**30 not in Real(0, math.inf)
    assert Fraction(1, 2) in Real(0, 1)


def test_a_bool_rule_takes_bools_of_python_and_numpy_only() -> None:
    assert all(value in Bool() for value in (True, False, np.True_))
    assert all(value not in Bool() for value in (0, 1, "true", None))


def test_a_choice_takes_its_strings_and_no_arrays() -> None:
    rule = Choice("gini", "dkm")
    assert "gini" in rule
    assert np.str_("dkm") in rule
    assert all(value not in rule for value in ("Gini", None, 0, np.array(["gini", "dkm"])))


def test_a_class_is_not_taken_for_an_object_with_its_methods() -> None:
    class Model:
        def fit(self) -> None: ...

    rule = HasMethods("fit")
    assert Model() in rule
    assert Model not in rule
    assert SimpleNamespace(fit=3) not in rule


@pytest.mark.parametrize("seed", [None, 0, 2**70, np.int64(3)])
def test_none_and_ints_from_0_are_seeds(seed: object) -> None:
    assert seed in Seed()


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState, np.random.SeedSequence])
def test_the_sources_of_numpy_are_seeds_but_their_classes_are_not(source: type) -> None:
    assert source(0) in Seed()
    assert source not in Seed()


@pytest.mark.parametrize("value", [-1, 1.0, True, "0", np.random])
def test_other_things_are_no_seeds(value: object) -> None:
    assert value not in Seed()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Int(), "an int"),
        (Int(1), "an int >= 1"),
        (Int(high=5), "an int <= 5"),
        (Int(1, 5), "an int in [1, 5]"),
        (Real(), "a finite number"),
        (Real(0), "a finite number >= 0"),
        (Real(0, closed="neither"), "a finite number > 0"),
        (Real(high=1, closed="neither"), "a finite number < 1"),
        (Real(0, 1, closed="right"), "a number in (0, 1]"),
        (Real(0, math.inf), "a number in [0, inf]"),
        (Bool() | Nothing(), "a bool or None"),
        (Choice("sqrt"), "'sqrt'"),
        (Choice("sqrt", "log2") | Int(1) | Nothing(), "'sqrt', 'log2', an int >= 1 or None"),
        (InstanceOf(SimpleNamespace), "a SimpleNamespace"),
        (InstanceOf(Mapping, words="a dict"), "a dict"),
        (HasMethods("fit", "predict"), "an object with fit() and predict()"),
        (HasMethods("fit", words="an estimator"), "an estimator"),
        (Seed() | Nothing(), "an int >= 0, a numpy Generator, a RandomState, a SeedSequence or None"),
    ],
)
def test_a_rule_says_itself_in_words(rule: Rule, words: str) -> None:
    assert str(rule) == words


VALUES = st.none() | st.integers(-3, 3) | st.sampled_from("abc")


@given(st.sampled_from(RULES), st.sampled_from(RULES), VALUES)
def test_a_joined_rule_accepts_what_either_accepts(a: Rule, b: Rule, value: object) -> None:
    assert (value in a | b) == (value in a or value in b)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_a_frozen_value(rule: Rule) -> None:
    assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301
    assert hash(rule) == hash(pickle.loads(pickle.dumps(rule)))  # noqa: S301
    with pytest.raises(AttributeError):
        rule.low = 3  # type: ignore[attr-defined]


def test_a_rule_is_joined_with_rules_only() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Int() | Nothing


def test_the_message_says_what_must_be_what_and_what_was_given() -> None:
    with pytest.raises(ParameterError) as caught:
        check_param("max_depth", 0, Int(1) | Nothing())
    assert str(caught.value) == "max_depth must be an int >= 1 or None; got 0."


def test_a_misspelt_choice_gets_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"got 'laplas'\. Did you mean 'laplace'\?$"):
        check_param("estimate", "laplas", Nothing() | Choice("frequency", "laplace"))


def test_a_value_like_no_choice_gets_no_guess() -> None:
    for value in ("zzz", 7):
        with pytest.raises(ParameterError, match=r"'laplace'; got [^.]*\.$"):
            check_param("estimate", value, Choice("frequency", "laplace"))


@pytest.mark.parametrize(
    "value",
    ["x" * 10_000, list(range(10_000)), np.zeros((500, 500)), [["y" * 99] * 9] * 9, -(10**5000)],
    ids=["string", "list", "array", "nest", "int"],
)
def test_a_long_value_is_shortened_to_one_short_line(value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        check_param("m", value, Int(0))
    assert len(str(caught.value)) < 120
    assert "\n" not in str(caught.value)


def test_a_value_that_cannot_show_itself_still_gets_the_message() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(ParameterError, match="m must be an int; got <Shy instance at"):
        check_param("m", Shy(), Int())


def test_the_attributes_of_an_object_are_checked_in_the_order_of_the_rules() -> None:
    owner = SimpleNamespace(m=-1, prior="flat", other=object())
    with pytest.raises(ParameterError, match=r"^m must be"):
        check_params(owner, {"m": Real(0), "prior": Nothing()})
    check_params(owner, {"m": Real(), "prior": Choice("flat")})


def test_a_name_is_looked_up_in_its_registry() -> None:
    assert choose("criterion", "gini", {"gini": 1, "dkm": 2}) == 1


@pytest.mark.parametrize("name", ["ginni", None, 3, ["gini"]])
def test_an_unknown_name_is_answered_with_the_names_there_are(name: str) -> None:
    with pytest.raises(ParameterError, match="criterion must be 'gini' or 'dkm'; got"):
        choose("criterion", name, {"gini": 1, "dkm": 2})


@pytest.mark.parametrize(
    ("value", "rule", "hint"),
    [
        (
            10**30,
            Int(1) | Nothing(),
            "got 1000000000000000000000000000000. The largest int is 2147483647.",
        ),
        (10**30, Real(0), "got 1000000000000000000000000000000. The largest int is 9223372036854775807; pass a float."),
        (1e308, Real(0), "got 1e+308. A number other than 0 must be of a size from 1e-100 to 1e+100."),
        (5e-324, Real(0), "got 5e-324. A number other than 0 must be of a size from 1e-100 to 1e+100."),
    ],
)
def test_a_number_too_large_or_too_small_is_refused_with_the_limit(value: float, rule: Rule, hint: str) -> None:
    with pytest.raises(ParameterError, match=hint.replace("+", r"\+")):
        check_param("x", value, rule)


def test_a_number_between_two_limits_may_be_as_small_as_they_allow() -> None:
    assert 5e-324 in Real(0, 1)
    assert 1e308 in Real(0, math.inf)
    assert 10**30 in Seed()
