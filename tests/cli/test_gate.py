"""`poolwise gate`: exit statuses, files, scores kept for next time, holes."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import scipy.stats

from poolwise.cli.main import main


def lists(path, order):
    """A run of 30 topics; `order` gives each topic's documents from best to worst."""
    lines = [
        f"{topic} Q0 {document} {rank + 1} {100 - rank} x"
        for topic in range(1, 31)
        for rank, document in enumerate(order(topic))
    ]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(4)
    labels = [f"{topic} 0 d{number} {int(number < 5)}" for topic in range(1, 31) for number in range(20)]
    (tmp_path / "qrels.txt").write_text("\n".join(labels) + "\n")
    good = {topic: generator.permutation(20) for topic in range(1, 31)}
    lists(tmp_path / "base.txt", lambda topic: [f"d{number}" for number in sorted(good[topic], key=lambda n: n // 3)])
    lists(tmp_path / "bad.txt", lambda topic: [f"d{number}" for number in sorted(good[topic], reverse=True)])
    lists(tmp_path / "new.txt", lambda topic: [f"n{number}" for number in range(20)])
    lists(tmp_path / "mixed.txt", lambda topic: [f"d{number}" for number in (good[topic] if topic % 2 else range(20))])
    return tmp_path


def gate(*words):
    return main(["gate", *words, "--qrels", "qrels.txt", "-m", "nDCG@10"])


def test_exit_status_says_the_verdict(campaign, capsys):
    assert gate("base.txt", "base.txt") == 0
    assert "no worse than by 0.01" in capsys.readouterr().out
    assert gate("base.txt", "bad.txt") == 1
    assert "worse by more than 0.01" in capsys.readouterr().out
    assert gate("base.txt", "mixed.txt", "--margin", "0.35") == 3
    assert "topics would show that it is not" in capsys.readouterr().out


def test_holes_do_not_fail_a_build(campaign, capsys):
    assert gate("base.txt", "new.txt") == 3
    said = capsys.readouterr().out
    assert "100 % of its top documents are unjudged; judge these" in said


def test_scores_are_kept_for_next_time(campaign, capsys):
    assert gate("base.txt", "mixed.txt", "--margin", "0.5", "--keep", "last.csv") == 0
    first = (campaign / "last.csv").read_text().splitlines()
    assert first[0] == "run,measure,topic,value"
    assert len(first) == 31
    assert gate("last.csv", "mixed.txt") == 0
    assert "+0.0000" in capsys.readouterr().out
    assert gate("last.csv", "bad.txt") == 1
    assert main(["gate", "last.csv", "last.csv", "-m", "nDCG@10"]) == 0


def test_a_worse_candidate_is_no_baseline(campaign, capsys):
    assert gate("base.txt", "bad.txt", "--keep", "last.csv") == 1
    assert "last.csv not written, as a candidate that is worse is no baseline" in capsys.readouterr().err
    assert not (campaign / "last.csv").exists()


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
def test_runs_may_be_tables_too(campaign, capsys, ending, mark):
    for name in ("base", "bad"):
        rows = [line.split() for line in (campaign / f"{name}.txt").read_text().splitlines()]
        lines = [mark.join((topic, document, score)) for topic, _, document, _, score, _ in rows]
        (campaign / f"{name}.{ending}").write_text(
            "\n".join([mark.join(("query_id", "doc_id", "score")), *lines]) + "\n"
        )
    assert gate("base.txt", "bad.txt", "--format", "json") == 1
    expected = json.loads(capsys.readouterr().out)[0]
    assert gate(f"base.{ending}", f"bad.{ending}", "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)[0] == expected


def test_json_and_markdown(campaign, capsys):
    assert gate("base.txt", "bad.txt", "--format", "json") == 1
    row = json.loads(capsys.readouterr().out)[0]
    assert row["verdict"] == "worse"
    assert row["difference"] == pytest.approx(row["candidate_mean"] - row["baseline_mean"])
    assert gate("base.txt", "bad.txt", "-m", "AP", "-o", "gate.md") == 1
    text = (campaign / "gate.md").read_text()
    assert text.count("| worse") == 2


def test_faults(campaign, capsys):
    assert main(["gate", "base.txt", "bad.txt"]) == 2
    assert "a run needs judgments; give --qrels QRELS" in capsys.readouterr().err
    assert gate("base.txt", ".") == 2
    assert gate("base.txt", "none.csv") == 2  # 1 would say that it is worse
    assert gate("base.txt", "bad.txt", "--keep", "last.json") == 2
    capsys.readouterr()
    assert gate("base.txt", "mixed.txt", "--keep", "none/last.csv") == 2
    shown = capsys.readouterr()
    assert "there is no folder none" in shown.err
    assert not shown.out  # before the verdict, not after
    (campaign / "other.csv").write_text("run,measure,topic,value\nbase,AP,1,0.5\nbase,AP,2,0.5\n")
    assert gate("other.csv", "bad.txt") == 2
    assert "no scores by nDCG@10; it has AP" in capsys.readouterr().err


def test_a_run_against_its_own_past_shows_both(campaign, capsys):
    assert gate("base.txt", "base.txt") == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert "base before" in head
    assert "base now" in head


def test_a_sample_is_taken_by_itself_or_by_its_estimates(campaign, capsys):
    """Plain scores of a sample are lower than all labels', for good runs most; its estimates are not."""
    plan = ["plan", "base.txt", "bad.txt", "-m", "nDCG@10", "--design", "uniform", "--budget", "300", "-o", "plan.txt"]
    assert main(plan) == 0
    drawn = [line.split() for line in (campaign / "plan.txt").read_text().splitlines() if line[0] != "#"]
    rows = [f"{topic},{document},{int(document[1:]) < 5:d}" for topic, round, document, *_ in drawn if round == "1"]
    (campaign / "labels.csv").write_text("\n".join(["topic,document,label", *rows]) + "\n")
    assert main(["merge", "plan.txt", "labels.csv", "-o", "judged.txt"]) == 0
    capsys.readouterr()
    assert main(["gate", "base.txt", "bad.txt", "--qrels", "judged.txt", "-m", "nDCG@10"]) == 1
    assert main(["gate", "bad.txt", "base.txt", "--qrels", "judged.txt", "-m", "nDCG@10"]) == 0
    for side in ("base", "bad"):
        estimate = ["estimate", "judged.txt", f"{side}.txt", "-m", "nDCG@10", "-q", "-o", f"{side}.csv"]
        assert main(estimate) == 0
    assert main(["gate", "base.csv", "bad.csv", "-m", "nDCG@10"]) == 1
    assert main(["gate", "bad.csv", "base.csv", "-m", "nDCG@10"]) == 0


# ---- What nobody judged --------------------------------------------------------------------------------------------


def test_a_pool_that_was_dropped_passes_nothing(campaign, capsys):
    """Labels alone, without the pool that they were drawn from: seven tenths of both tops are unjudged."""
    lines = (campaign / "qrels.txt").read_text().splitlines()
    (campaign / "qrels.txt").write_text("".join(f"{line}\n" for place, line in enumerate(lines) if place % 10 < 3))
    assert gate("base.txt", "mixed.txt", "--margin", "0.42") == 3
    said = capsys.readouterr().out
    assert "it is not, unless by what is unjudged of the top documents (" in said
    assert "judge these" in said
    assert gate("base.txt", "mixed.txt", "--margin", "1") == 0  # no labels make it worse than this


def test_a_change_that_changes_nothing_passes_whatever_is_unjudged(campaign, capsys):
    """A document that both retrieve has one label, and moves both sides."""
    assert gate("new.txt", "new.txt") == 0
    assert "Of the top documents 100.0 % (new) and 100.0 % (new) are unjudged." in capsys.readouterr().out


def test_kept_scores_bring_what_was_unjudged(campaign, capsys):
    """Half of the baseline's documents had no label then; at their best it is far above the candidate."""
    half = [line for line in (campaign / "qrels.txt").read_text().splitlines() if int(line.split()[2][1:]) % 2]
    whole = (campaign / "qrels.txt").read_text()
    (campaign / "qrels.txt").write_text("".join(f"{line}\n" for line in half))
    assert gate("mixed.txt", "mixed.txt", "--margin", "1", "--keep", "last.csv") == 0
    head, first, *_ = (campaign / "last.csv").read_text().splitlines()
    assert head == "run,measure,topic,value,low,high,interval"
    value, low, high = map(float, first.split(",")[3:6])
    assert low <= value < high
    (campaign / "qrels.txt").write_text(whole)
    capsys.readouterr()
    assert gate("last.csv", "mixed.txt") == 3
    assert "(what was open when scores of mixed were kept, 0.0 % of mixed); judge these" in capsys.readouterr().out
    values = [line.rsplit(",", 3)[0] for line in (campaign / "last.csv").read_text().splitlines()]
    (campaign / "value.csv").write_text("\n".join(values) + "\n")
    assert gate("value.csv", "mixed.txt") == 0  # without them nothing is known of what was open


def test_no_worse_holds_for_every_labelling(tmp_path, monkeypatch, capsys):
    """Every labelling of what is unjudged is tried, topic by topic, and a literal t test made of the worst."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(8)
    verdicts = set()
    for trial in range(8):
        labels, runs = {}, ({}, {})
        for topic in map(str, range(1, 9)):
            documents = [f"d{number}" for number in range(9)]
            known = random.permutation(documents)[: 7 + trial % 2]
            labels[topic] = {document: int(random.random() < 0.5) for document in known}
            order = list(random.permutation(documents))
            runs[0][topic] = order
            runs[1][topic] = order[:1] + list(random.permutation(order[1:]))
        text = "".join(f"{t} 0 {d} {label}\n" for t, own in labels.items() for d, label in own.items())
        (tmp_path / "qrels.txt").write_text(text)
        for name, run in zip(("a.txt", "b.txt"), runs, strict=True):
            rows = [f"{t} Q0 {d} 1 {-place} x\n" for t, own in run.items() for place, d in enumerate(own)]
            (tmp_path / name).write_text("".join(rows))
        for measure, of_list in (("P@4", precision), ("RR@4", reciprocal), ("DCG@4", gain)):
            worst, plain = [], []
            for topic, own in labels.items():
                lists = [run[topic] for run in runs]
                open_ = sorted({d for each in lists for d in each[:4]} - set(own))
                tried = [dict(zip(open_, found, strict=True)) for found in itertools.product((0, 1), repeat=len(open_))]
                worst.append(min(of_list(lists[1], own | more) - of_list(lists[0], own | more) for more in tried))
                plain.append(of_list(lists[1], own) - of_list(lists[0], own))
            low = min(map(literal_low, (worst, plain)))
            for margin in (0.1, 0.3, 0.6, 1.2):
                main(
                    [
                        "gate",
                        "a.txt",
                        "b.txt",
                        "--qrels",
                        "qrels.txt",
                        "-m",
                        measure,
                        "--margin",
                        str(margin),
                        "--format",
                        "json",
                    ]
                )
                (row,) = json.loads(capsys.readouterr().out)
                assert (row["verdict"] == "no worse") == (low > -margin), (trial, measure, margin)
                verdicts.add((row["verdict"] == "no worse", literal_low(plain) > -margin))
    assert verdicts == {(True, True), (False, True), (False, False)}


def precision(documents, labels):
    return sum(labels.get(document, 0) for document in documents[:4]) / 4


def reciprocal(documents, labels):
    return next((1 / rank for rank, document in enumerate(documents[:4], 1) if labels.get(document, 0)), 0.0)


def gain(documents, labels):
    return sum(labels.get(document, 0) / np.log2(rank + 1) for rank, document in enumerate(documents[:4], 1))


def literal_low(differences):
    """The lower end of a one-sided t interval at .05."""
    values = np.asarray(differences)
    spread = values.std(ddof=1) if np.ptp(values) > 1e-12 else abs(values.mean())
    return values.mean() - scipy.stats.t.ppf(0.95, len(values) - 1) * spread / np.sqrt(len(values))


# ---- Sampled labels ------------------------------------------------------------------------------------------------


@pytest.fixture
def sampled(campaign, capsys):
    """A plan over the top 10 of two runs, half of it judged by known labels; new.txt retrieves other documents."""
    plan = ["plan", "base.txt", "mixed.txt", "--budget", "150", "-m", "nDCG@10", "-o", "plan.txt"]
    assert main([*plan, "--to-judge", "todo.csv"]) == 0
    rows = [line.split(",") for line in (campaign / "todo.csv").read_text().splitlines()[1:]]
    labels = [f"{topic},{document},{int(int(document[1:]) < 5)}" for topic, document, *_ in rows]
    (campaign / "labels.csv").write_text("\n".join(["topic,document,label", *labels]) + "\n")
    assert main(["merge", "plan.txt", "labels.csv", "-o", "judged.txt"]) == 0
    capsys.readouterr()
    return campaign


def of_sample(*words):
    return main(["gate", *words, "--qrels", "judged.txt", "-m", "nDCG@10"])


def test_a_plan_with_its_labels_decides(sampled, capsys):
    assert of_sample("base.txt", "mixed.txt", "--margin", "0.9") == 0
    assert of_sample("base.txt", "mixed.txt", "--margin", "0.1") == 1
    assert of_sample("mixed.txt", "base.txt", "--margin", "0.0") == 0
    assert "is called" not in capsys.readouterr().err  # a command knows today's names of its own library
    assert of_sample("base.txt", "base.txt") == 0
    assert "base before" in capsys.readouterr().out


def test_estimates_and_their_ends_are_those_of_estimate(sampled, capsys):
    assert of_sample("base.txt", "mixed.txt", "--format", "json", "--margin", "0.3") in (0, 3)
    (row,) = json.loads(capsys.readouterr().out)
    words = ["estimate", "judged.txt", "base.txt", "mixed.txt", "-m", "nDCG@10", "--difference", "mixed", "base"]
    assert main([*words, "--level", "0.9", "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)
    assert row["difference"] == pytest.approx(pair["difference"])
    assert row["low"] <= pair["low"] + 1e-9  # topics add to what the draw of documents leaves open
    assert row["high"] >= pair["high"] - 1e-9


def test_documents_outside_the_pool_do_not_fail_a_build(sampled, capsys):
    assert of_sample("base.txt", "new.txt") == 3
    said = capsys.readouterr().out
    assert "100 % (new) are outside the pool, and their labels decide; plan and judge these" in said
    for name in ("base", "new"):
        words = ["estimate", "judged.txt", f"{name}.txt", "-m", "nDCG@10", "-q", "-o", f"{name}.csv"]
        assert main(words) == 0
    assert main(["gate", "base.csv", "new.csv", "-m", "nDCG@10"]) == 3  # the same by way of files
    assert "are outside the pool" in capsys.readouterr().out


def test_a_sample_takes_two_runs_and_keeps_no_scores(sampled, capsys):
    assert of_sample("base.txt", "mixed.txt", "--keep", "next.csv") == 2
    assert "estimates from a sample are not kept" in capsys.readouterr().err
    assert gate("base.txt", "base.txt", "--keep", "last.csv") == 0
    assert of_sample("last.csv", "mixed.txt") == 2
    assert "scores of an earlier time, but judged.txt is a sample; give both runs" in capsys.readouterr().err


def test_topics_that_were_drawn_are_called_so(campaign, capsys):
    assert main(["plan", "base.txt", "mixed.txt", "--budget", "20", "-m", "nDCG@10", "-o", "few.txt"]) == 0
    assert main(["merge", "few.txt", "qrels.txt", "--drawn-only", "-o", "judged.txt"]) == 0
    capsys.readouterr()
    assert of_sample("base.txt", "mixed.txt") in (0, 1, 3)
    assert ", 5 topics drawn of 30); " in capsys.readouterr().out


def test_topics_without_a_label_decide_nothing(sampled, capsys):
    lines = (sampled / "labels.csv").read_text().splitlines()
    kept = [line for line in lines[1:] if int(line.split(",")[0]) <= 15]
    (sampled / "half.csv").write_text("\n".join([lines[0], *kept]) + "\n")
    assert main(["merge", "plan.txt", "half.csv", "-o", "judged.txt", "--overwrite"]) == 0
    assert of_sample("base.txt", "mixed.txt") == 2
    assert "judge every topic first" in capsys.readouterr().err


def test_markdown_keeps_the_conclusion(campaign, capsys):
    assert gate("base.txt", "new.txt", "--format", "markdown") == 3
    said = capsys.readouterr().out
    assert "cannot tell whether it is worse by more than 0.01" in said
    assert "Of the top documents 0.0 % (base) and 100.0 % (new) are unjudged." in said


@pytest.mark.parametrize("alpha", ["0.5", "0.6", "0.99"])
def test_an_alpha_without_an_interval_is_refused(campaign, capsys, alpha):
    assert gate("base.txt", "bad.txt", "--alpha", alpha) == 2
    shown = capsys.readouterr()
    assert f"alpha={alpha} must be below 0.5" in shown.err
    assert not shown.out
    assert gate("base.txt", "base.txt", "--alpha", "0.49") == 0


@pytest.mark.parametrize("cell", ["nan", "", "inf", "-inf"])
@pytest.mark.parametrize("side", [0, 1])
def test_kept_scores_that_are_no_numbers_are_refused(campaign, capsys, cell, side):
    assert gate("base.txt", "base.txt", "--keep", "last.csv") == 0
    lines = (campaign / "last.csv").read_text().splitlines()
    place = next(number for number, line in enumerate(lines) if ",17," in line)
    lines[place] = lines[place].rpartition(",")[0] + "," + cell
    (campaign / "holed.csv").write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert gate(*(["holed.csv", "base.txt"] if side == 0 else ["base.txt", "holed.csv"])) == 2
    shown = capsys.readouterr()
    assert "holed.csv: 1 of 30 scores by nDCG@10 is missing or infinite, the first is on topic 17" in shown.err
    assert not shown.out
    del lines[place]  # as the message says
    (campaign / "holed.csv").write_text("\n".join(lines) + "\n")
    assert gate("holed.csv", "base.txt") == 0


@pytest.mark.parametrize(("open_", "a_sample"), [(2, False), (30, False), (31, True)])
def test_a_few_labels_left_open_make_no_sample(campaign, capsys, open_, a_sample):
    """At 95 % of 600 labels scores are taken, and kept; below that estimates."""
    lines = (campaign / "qrels.txt").read_text().splitlines()
    lines[-open_:] = [line[:-1] + "-1" for line in lines[-open_:]]
    (campaign / "qrels.txt").write_text("\n".join(lines) + "\n")
    (campaign / "fewer.txt").write_text("".join((campaign / "base.txt").read_text().splitlines(keepends=True)[20:]))
    assert gate("base.txt", "base.txt", "--keep", "last.csv") == (2 if a_sample else 0)
    said = capsys.readouterr().err
    assert ("estimates from a sample are not kept" in said) == a_sample
    assert (campaign / "last.csv").exists() != a_sample
    if not a_sample:
        assert said.count(f"{600 - open_} of 600 pooled documents are judged: from 95 % on") == 1
        gate("base.txt", "fewer.txt")
        assert "lacks topics (1 list in all; fewer lacks 1) and scores 0 there" in capsys.readouterr().err
