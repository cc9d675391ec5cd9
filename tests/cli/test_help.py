"""What the commands say of themselves: suggestions for misspelt words, and completion in three shells."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from tests.kit.command import here

from poolwise.cli.main import COMMANDS, parser_of
from poolwise.measures.registry import measures


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["scor"], "no command 'scor'; did you mean score? the commands are score"),
        (["score", "--mesure", "AP"], "no option '--mesure'; did you mean --measure? see: poolwise score --help"),
        (["score", "--format", "jsn"], "--format 'jsn': did you mean json, jsonl? choose one of trec, table"),
        (["compare", "--xyzzy"], "no option '--xyzzy'; see: poolwise compare --help"),
        (["study", "robustnes", "q", "r", "-o", "d"], "did you mean robustness?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(poolwise, words, hint):
    result = poolwise(*words)
    assert result.code == 2
    assert hint in result.err


@pytest.mark.parametrize(("command", "option"), [("judge", "-m"), ("agreement", "-m"), ("estimate", "--level")])
def test_an_option_that_counts_once_stands_once(poolwise, command, option):
    """The last of two would win without a word."""
    said = poolwise(command, option, "0.5", "a.txt", option, "0.9")
    assert said.code == 2
    assert f"{option} is given twice; {command} takes it once" in said.err


def test_check_takes_a_run_in_the_first_place_for_runs_alone_and_names_judgments_among_them(poolwise, small):
    found = poolwise("check", "runs/one.txt", "qrels.txt")
    assert found.code == 3
    assert "qrels.txt:1: 4 columns found" in found.out
    assert "are these judgments, which have 4 or 5 and come first?" in found.out


@pytest.mark.parametrize("command", ["score", "compare"])
def test_swapped_judgments_and_runs_are_noticed(poolwise, small, command):
    run_first = poolwise(command, "runs/one.txt", "qrels.txt")
    assert run_first.code == 1
    assert "runs/one.txt:1: 6 columns found" in run_first.err
    assert "is this a run? Judgments come first, then runs" in run_first.err
    judgments_as_run = poolwise(command, "qrels.txt", "qrels.txt")
    assert "qrels.txt:1: 4 columns found" in judgments_as_run.err
    assert "are these judgments, which have 4 or 5 and come first?" in judgments_as_run.err


def test_judgments_in_the_folder_of_runs_are_no_run(poolwise, small):
    """As after downloading all into one folder, or with a pattern that the shell has filled in."""
    apart = poolwise("score", "qrels.txt", "runs", "-m", "AP")
    (small / "runs" / "qrels.txt").write_text((small / "qrels.txt").read_text())
    for named in (["runs"], ["runs/*"], ["runs/one.txt", "runs/qrels.txt", "runs/two.run"]):
        found = poolwise("score", "runs/qrels.txt", *named, "-m", "AP")
        assert (found.code, found.out) == (0, apart.out)
        assert "runs/qrels.txt holds the judgments and is left out of the runs" in found.err
    assert poolwise("check", "runs/qrels.txt", "runs").code == 0
    streamed = poolwise("score", "--stream", "runs/qrels.txt", "runs", "-m", "AP")
    assert (streamed.code, "left out of the runs" in streamed.err) == (0, True)
    other = poolwise("score", "qrels.txt", "runs", "-m", "AP")  # another file, which may be anything
    assert (other.code, "runs/qrels.txt:1: 4 columns found" in other.err) == (1, True)
    table = "topic,document,score,label\n1,a,2,1\n1,b,1,0\n"
    (small / "both.csv").write_text(table)
    (small / "two.csv").write_text(table)
    both = poolwise("score", "both.csv", "both.csv", "two.csv", "-m", "AP", "--format", "csv")
    assert both.code == 0, both.err
    assert both.out.count("\nboth,") == both.out.count("\ntwo,") > 0


INSTALLED = [
    pytest.param(shell, marks=pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell}"))
    for shell in ("bash", "fish")
]


@cache
def completion(shell: str) -> str:
    """Our script for a shell."""
    return here(("completion", shell), Path.cwd()).out


def offers(shell: str, line: str, tmp_path) -> set[str]:
    """What a shell offers at the end of a line, after loading our script."""
    words = line.split(" ")
    script = tmp_path / f"completion.{shell}"
    script.write_text(completion(shell))
    if shell == "fish":
        ask = f"source {script}; complete -C {line!r}"
        shown = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, text=True, cwd=tmp_path)
        return {each.partition("\t")[0] for each in shown.stdout.splitlines()}
    quoted = " ".join(f"'{word}'" for word in words)
    typed = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}"
    ask = f"source {script}; {typed}; _poolwise; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    shown = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=tmp_path)
    assert shown.stderr == ""
    return set(shown.stdout.split())


@pytest.mark.parametrize("shell", INSTALLED)
class TestCompletion:
    def test_commands(self, shell, tmp_path):
        assert offers(shell, "poolwise s", tmp_path) == {name for name in COMMANDS if name.startswith("s")}

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_option_of_every_command(self, shell, command, tmp_path):
        declared = {flag for option in parser_of(command).optional() for flag in option.flags if flag.startswith("--")}
        assert offers(shell, f"poolwise {command} --", tmp_path) == declared | {"--help"}

    def test_choices_measures_and_studies(self, shell, tmp_path):
        (tmp_path / "qrels.txt").touch()
        assert offers(shell, "poolwise score q r --missing ", tmp_path) == {"zero", "skip"}
        ours = {each.name for each in measures() if each.function is None}
        assert offers(shell, "poolwise score q r -m ", tmp_path) == ours
        assert "gain-discount" in offers(shell, "poolwise study ", tmp_path)
        assert "nDCG" in offers(shell, "poolwise measures n", tmp_path)

    def test_files_where_files_are_wanted_and_only_there(self, shell, tmp_path):
        (tmp_path / "qrels.txt").touch()
        assert offers(shell, "poolwise score q", tmp_path) >= {"qrels.txt"}
        assert offers(shell, "poolwise score x --runs-from q", tmp_path) == {"qrels.txt"}
        assert offers(shell, "poolwise score x --seed ", tmp_path) == set()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_the_script_for_zsh_offers_options(tmp_path):
    """zsh completes in its line editor only, so a real one is typed into."""
    script = tmp_path / "_poolwise"
    script.write_text(completion("zsh"))
    typed = """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "autoload -U compinit; compinit -u -D; source ./_poolwise; PS1=; print READY"
        zpty -r shell shown '*READY*READY*'
        zpty -w -n shell $'poolwise score q r --missing \\t'
        zpty -r shell shown '*skip*zero*'
        print -r -- $shown
    """
    shown = subprocess.run(["zsh", "-f", "-c", typed], capture_output=True, text=True, cwd=tmp_path, timeout=30).stdout
    assert "skip" in shown
    assert "zero" in shown


def test_help_of_a_command_may_be_asked_for_first(poolwise):
    assert poolwise("help", "score").out == poolwise("score", "--help").out
    assert poolwise("help").out == poolwise("--help").out
    assert "did you mean score?" in poolwise("help", "scor").err
