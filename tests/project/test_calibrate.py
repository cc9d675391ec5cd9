"""Every constant that `make calibrate` lists exists, is in use under its name, and is put back after its curve."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
try:
    import calibrate
finally:
    sys.path.pop(0)


@pytest.mark.parametrize("fitted", calibrate.FITTED, ids=lambda fitted: fitted.full_name)
def test_other_values_reach_every_module_and_are_put_back(fitted):
    constant, _ = calibrate.parts_of(fitted.name)
    users = [
        module for name, module in sys.modules.items() if name.startswith("poolwise.") and constant in vars(module)
    ]
    before = {module: vars(module)[constant] for module in users}
    current, other = calibrate.value_of(fitted.home, fitted.name), max(fitted.values) + 1.0
    same = [
        module
        for module in users
        if before[module] is vars(importlib.import_module(f"poolwise.{fitted.home}"))[constant]
    ]
    with calibrate.in_use(fitted.home, fitted.name, other):
        assert all(vars(module)[constant] != before[module] for module in same)
        if not isinstance(before[same[0]], type):
            assert calibrate.value_of(fitted.home, fitted.name) == other
    assert calibrate.value_of(fitted.home, fitted.name) == current
    assert all(vars(module)[constant] is before[module] for module in users)


def test_constants_chosen_by_hand_exist_and_are_not_fitted():
    for home, name, reason in calibrate.BY_HAND:
        assert calibrate.value_of(home, name) is not None
        assert len(reason) > 20
    fitted = {each.full_name for each in calibrate.FITTED}
    assert fitted.isdisjoint(f"{home}.{name}" for home, name, _ in calibrate.BY_HAND)


def test_a_curve_marks_the_value_in_use():
    tried = calibrate.Fitted("audits.hole_model", "OF_TOPIC", (1.0,), value_in_use, "nothing")
    lines = list(calibrate.curve(tried, {"a": None, "b": None}, 1))
    assert lines[-4:] == ["| a | 1 | 1 |", "| a | 5 (in use) | 5 |", "| b | 1 | 1 |", "| b | 5 (in use) | 5 |"]


def test_a_flat_curve_says_so():
    tried = calibrate.Fitted("audits.hole_model", "OF_TOPIC", (1.0,), same_value, "nothing")
    assert "Flat" in list(calibrate.curve(tried, {"a": None, "b": None}, 1))[-1]


def same_value(ground, trials):
    """the same for every value"""
    return {"value": 1.0}


def value_in_use(ground, trials):
    """the value"""
    return {"value": calibrate.value_of("audits.hole_model", "OF_TOPIC")}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_more_labels_have_a_lower_interval_score(tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "runs").mkdir()
    ground = calibrate.Ground(calibrate.simulated(tmp_path / "set", 1), tmp_path / "runs")
    few, many = (calibrate.Sampled(("AP",), share=share)(ground, 1) for share in (0.03, 0.3))
    assert many["interval score"] < few["interval score"]
    assert many["width"] < few["width"]
    assert few["interval score"] >= few["width"]
