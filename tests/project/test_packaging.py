"""What the packages say of themselves agrees with pyproject.toml."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import poolwise as pw

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_conda_recipe_follows_the_project():
    recipe = (ROOT / "packaging" / "recipe.yaml").read_text("utf-8")
    assert f'version: "{pw.__version__}"' in recipe
    wanted = [
        re.sub(r">=", " >=", name)
        for name in (*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"])
    ]
    assert [name for name in wanted if f"- {name}\n" not in recipe] == []
    (script,) = PROJECT["project"]["scripts"].items()
    assert " = ".join(script) in recipe
    assert PROJECT["project"]["description"] in recipe
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert 'match(python, "<3.11")' in recipe
    assert "stdlib(" not in recipe, "it takes a file of variants, which a clone has not got"


def test_cmake_is_asked_for_in_one_version():
    needed = re.search(r"cmake_minimum_required\(VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text("utf-8"))[1]
    assert f"- cmake >={needed}\n" in (ROOT / "packaging" / "recipe.yaml").read_text("utf-8")
    assert f'"cmake>={needed}"' in (ROOT / "Makefile").read_text("utf-8")


def test_extras_of_the_container_exist():
    extras = re.search(r"\.whl\)\[([a-z,]+)\]", (ROOT / "Containerfile").read_text("utf-8"))
    assert set(extras[1].split(",")) <= set(PROJECT["project"]["optional-dependencies"])


def test_the_container_is_built_without_what_a_clone_has_made():
    passed_over = set((ROOT / ".dockerignore").read_text("utf-8").split())
    made = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()}
    assert {".venv", "build", "dist", "site", "poolwise-demo"} <= passed_over & made


def test_a_failed_build_says_what_is_needed():
    assert "g++" in PROJECT["tool"]["scikit-build"]["messages"]["after-failure"]


def test_notices_of_what_is_linked_in(tmp_path):
    pytest.importorskip("nanobind")
    target = tmp_path / "NOTICES.txt"
    subprocess.run([sys.executable, ROOT / "src" / "core" / "notices.py", target], check=True)
    text = target.read_text("utf-8")
    assert "Wenzel Jakob" in text.partition("robin_map\n")[0]
    assert "Copyright (c)" in text.partition("robin_map\n")[2]
    assert not re.search(r"^\s*\*", text.partition("robin_map\n")[2], re.MULTILINE)
