"""What the project says of itself in several files says the same in all."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tests.lowest import lower_bounds
from tests.needs import needed

import poolwise

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
# What the library itself may load; the other extras serve those who work on it.
OF_USERS = re.fullmatch(r"poolwise\[(.+)\]", EXTRAS["all"][0])[1].split(",")
# Loaded by a library we load, or under another name.
MODULES = {"kaleido": "kaleido", "dask": "distributed"}


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_the_version_is_the_same_everywhere():
    assert re.search(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE)[1] == poolwise.__version__
    released = re.findall(r"^## \[(\d[^]]*)\]", text("CHANGELOG.md"), re.MULTILINE)
    assert released[:1] in ([], [poolwise.__version__])


def test_the_changelog_has_versions_with_dates_and_known_headings():
    headings = re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]" or headings[0].startswith(f"[{poolwise.__version__}]")
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", each) for each in headings if "Unrel" not in each)
    kinds = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Numbers changed"}


def test_the_same_pythons_are_promised_tested_and_built():
    tested = re.search(r"python: \[(.+)\]", text(".github/workflows/tests.yml"))[1]
    versions = re.findall(r"3\.\d+", tested)
    promised = [each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if ":: 3." in each]
    assert versions == promised
    assert PROJECT["tool"]["cibuildwheel"]["build"].split() == [f"cp{each.replace('.', '')}-*" for each in versions]
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"
    assert re.search(r"for version in (.+); do", text("tests/pythons.sh"))[1].split() == versions


def test_workflows_use_what_cannot_change_under_them():
    flows = [path.read_text("utf-8") for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    used = [line for flow in flows for line in re.findall(r"uses: (.+)", flow)]
    assert len(used) > 8
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v[\d.]+", line)] == []
    assert not re.search(r"pipx|pip install (?!.*--require-hashes)", text(".github/workflows/release.yml"))
    tools = text(".github/build-tools.txt").replace("\\\n", "")
    wanted = [line for line in tools.splitlines() if not line.startswith("#")]
    assert {"build", "cibuildwheel"} < {line.partition("==")[0] for line in wanted}
    assert all(re.fullmatch(r"[\w-]+==[\d.]+( +--hash=sha256:[0-9a-f]{64})+", line) for line in wanted)


def test_the_lowest_versions_are_those_of_all_that_users_may_install():
    bounds = dict(line.split("==") for line in lower_bounds(PROJECT["project"]))
    assert bounds.items() >= {"numpy": "1.26", "scipy": "1.14", "jinja2": "3.1", "backports.zstd": "1.0"}.items()
    users = [*PROJECT["project"]["dependencies"], *EXTRAS["judge"]]
    assert {re.split("[>=]", line)[0] for line in users} <= bounds.keys()
    assert "hypothesis" not in bounds  # it runs tests, and is no part of what users install


def test_what_an_extra_installs_follows_the_extras_it_names():
    for extra in ("quick", "test", "docs"):
        wanted = needed(PROJECT["project"], extra)
        assert {*PROJECT["project"]["dependencies"], *EXTRAS["frames"], *EXTRAS["judge"]} <= {*wanted}
        assert not any(line.startswith("poolwise") for line in wanted)
    assert "pytest>=8" in needed(PROJECT["project"], "test")
    assert "pytest>=8" not in needed(PROJECT["project"], "docs")


def test_the_docs_are_made_with_every_library_whose_errors_they_show():
    assert "poolwise[all]" in EXTRAS["docs"]


def test_before_a_commit_runs_what_lint_runs():
    recipe = re.search(r"^lint:.*\n((?:\t.+\n)+)", text("Makefile"), re.MULTILINE)[1]
    tools = re.findall(r"\$\(BIN\)/([\w-]+)(?: (check|format)\b)?", recipe)
    hooks = text(".pre-commit-config.yaml")
    assert len(tools) > 5
    for tool, verb in tools:
        assert f".venv/bin/{tool} {verb}".strip() in hooks, tool
    assert hooks.count("entry:") == len(tools) + 1  # clang-tidy by its own target


@pytest.mark.parametrize("extra", OF_USERS)
def test_every_optional_library_is_used(extra):
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src" / "poolwise").rglob("*.py"))
    for requirement in EXTRAS[extra]:
        name = re.match(r"[\w-]+", requirement)[0].replace("-", "_")
        if name != "poolwise":
            assert re.search(rf"\b{MODULES.get(name, name)}\b", source), name


def test_the_extra_called_all_holds_all():
    assert set(EXTRAS) == {*OF_USERS, "all", "peers", "quick", "test", "docs", "lint"}
