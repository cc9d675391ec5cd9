"""What documents that come again are for: how far each assessor agrees with themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.kit.judging import judging, write_plan

import poolwise as pw
from poolwise.cli.main import main
from poolwise.errors import InputError
from poolwise.trust.chance_corrected import exact_ends

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def judged(folder: Path, *names: str, **rules: float) -> dict[str, list[tuple[int, int]]]:
    """Everybody labels all of their work, changing their mind on every third document that comes again."""
    found = judging(write_plan(folder / "plan.txt"), *names, **rules)
    pairs: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    for name in names:
        for place, (item, again) in enumerate(found.queue(name)):
            first = item % 3
            label = first if not again or len(pairs[name]) % 3 else (first + 1) % 4
            if again:
                pairs[name].append((first, label))
            event = {"id": f"{name}-{place:06}", "action": "label", "item": item, "again": again, "label": label}
            assert "refused" not in found.record(name, [event])[0]
    found.store.close()
    return pairs


def kappa(pairs: list[tuple[int, int]]) -> float:
    table = np.zeros((4, 4))
    for first, second in pairs:
        table[first, second] += 1 / len(pairs)
    chance = float(table.sum(1) @ table.sum(0))
    return (float(np.trace(table)) - chance) / (1 - chance)


def test_each_is_compared_with_themselves(tmp_path: Path) -> None:
    pairs = judged(tmp_path, "ann", "bob", overlap=0.5, repeat=0.5)
    found = pw.label_agreement([tmp_path / "plan.sqlite"])
    for name, own in pairs.items():
        assert len(own) > 10
        share, with_chance = found.of("agreement", name, name), found.of("kappa", name, name)
        same = sum(first == second for first, second in own)
        exact = binomtest(same, len(own)).proportion_ci(0.95, "exact")
        assert (share.documents, share.value) == (len(own), same / len(own))
        assert (share.low, share.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert with_chance.value == pytest.approx(kappa(own))
        assert with_chance.low < with_chance.value < with_chance.high
    assert found.of("kappa", "ann", "bob").value == 1  # what came again is no part of it
    rows = found.to_dict()["with_themselves"]
    assert [row["first"] for row in rows] == ["ann", "ann", "bob", "bob"]


@pytest.mark.parametrize("names", [("ann",), ("ann", "bob")])
def test_without_documents_in_common_second_labels_are_compared(tmp_path: Path, names: tuple[str, ...]) -> None:
    pairs = judged(tmp_path, *names, repeat=0.5)
    found = pw.label_agreement([tmp_path / "plan.sqlite"])
    assert list(found.assessors) == [*names, *(f"{name} (again)" for name in names)]
    for name in names:
        assert found.of("agreement", name, name).documents == len(pairs[name])
        assert found.of("kappa", name, f"{name} (again)").documents == len(pairs[name])


def test_without_repeats_there_is_none(tmp_path: Path) -> None:
    judged(tmp_path, "ann", "bob", overlap=0.5)
    assert pw.label_agreement([tmp_path / "plan.sqlite"]).with_themselves == ()
    (tmp_path / "alone").mkdir()
    judged(tmp_path / "alone", "ann")
    with pytest.raises(InputError, match="two assessors or more"):
        pw.label_agreement([tmp_path / "alone" / "plan.sqlite"])


def test_the_command_says_so(tmp_path: Path, capsys) -> None:
    judged(tmp_path, "ann", "bob", overlap=0.5, repeat=0.5)
    assert main(["agreement", str(tmp_path / "plan.sqlite")]) == 0
    table = capsys.readouterr().out.partition("\nassessor ")[2].partition("\n\n")[0]
    assert "share of documents with the same label" in table
    names = [line.split()[0] for line in table.splitlines() if line[:3] in ("ann", "bob")]
    assert names == ["ann", "ann", "bob", "bob"]
    assert main(["agreement", str(tmp_path / "plan.sqlite"), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {(row["first"], row["coefficient"]) for row in rows if row["first"] == row["second"] != "all"} == {
        (name, coefficient) for name in ("ann", "bob") for coefficient in ("agreement", "kappa")
    }
    page = tmp_path / "page.html"
    assert main(["agreement", str(tmp_path / "plan.sqlite"), "-o", str(page)]) == 0
    assert "Each with themselves" in page.read_text()


@pytest.mark.parametrize("trials", [1, 4, 10, 40])
def test_the_interval_is_clopper_and_pearsons(trials: int) -> None:
    for successes in range(trials + 1):
        exact = binomtest(successes, trials).proportion_ci(0.9, "exact")
        assert exact_ends(successes, trials, 0.9) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_labels_with_values_in_view_are_counted(tmp_path: Path) -> None:
    found = judging(write_plan(tmp_path / "plan.txt"), "ann", "bob", overlap=1.0)
    for name in ("ann", "bob"):
        for place, (item, _) in enumerate(found.queue(name)):
            if name == "ann" and place in (5, 9):
                view = {"id": f"{name}-view-{place}", "action": "view", "values": place == 5}
                assert "refused" not in found.record(name, [view])[0]
            event = {"id": f"{name}-{place:06}", "action": "label", "item": item, "label": 1}
            assert "refused" not in found.record(name, [event])[0]
    found.store.close()
    agreed = pw.label_agreement([tmp_path / "plan.sqlite"])
    assert "4 of 80 labels were given with values of runs in view" in agreed.warnings
    plain = {"1": {"d1-1-00": 1, "d1-1-01": 0}}
    assert not [note for note in pw.label_agreement({"a": plain, "b": plain}).warnings if "in view" in note]
