"""`poolwise plan`: from runs to a file, filled in, and back."""

from __future__ import annotations

import re

import pytest
from tests.kit.campaign_files import CAMPAIGN, words_of

pytestmark = pytest.mark.slow


def fill(source, target, share=1.0):
    """Fill in the first so many of the drawn documents, as an assessor would from the top."""
    rows = words_of(source)
    drawn = [row for row in rows if row[1] != "0" and row[4] == "-1"]
    for row in drawn[: round(share * len(drawn))]:
        row[4] = str(CAMPAIGN.truth[row[0]][row[2]])
    target.write_text("".join(" ".join(row) + "\n" for row in rows))


def test_plan_judge_and_score(poolwise, files):
    result = poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    assert (result.code, result.err) == (0, "")
    first, header, *_ = result.out.splitlines()
    rows = words_of(files / "plan.txt")
    assert first == f"plan.txt: round 1, 24 of {len(rows)} pooled documents to judge; fill in the last column"
    assert header.split() == ["stratum", "ranks", "pooled", "judged", "now"]
    assert all(len(row) == 5 and row[4] == "-1" for row in rows)
    assert [row[1] for row in rows[:25]] == ["1"] * 24 + ["0"]
    fill(files / "plan.txt", files / "filled.txt")
    scored = poolwise("score", "filled.txt", "runs", "-m", "xinfAP", "--format", "csv")
    assert (scored.code, scored.err.count("have no label")) == (0, 0)
    assert len(scored.out.splitlines()) == 4


def test_rounds_with_a_target_width(poolwise, files):
    poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    fill(files / "plan.txt", files / "filled.txt")
    result = poolwise(
        "plan", "runs", "--pilot", "filled.txt", "--budget", 12, "--target-width", 0.1, "-m", "nDCG",
        "--difference", "run0", "run1", "-o", "second.txt",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    assert "a 95 % interval of width 0.1 (run0 - run1) needs about" in result.out
    assert "): out of reach with 12\n" in result.out
    assert "width to expect:" in result.out
    rows = words_of(files / "second.txt")
    assert [row[1] for row in rows[:37]] == ["2"] * 12 + ["1"] * 24 + ["0"]
    assert all(row[4] == str(CAMPAIGN.truth[row[0]][row[2]]) for row in rows if row[1] == "1")
    before = {(row[0], row[2]): row[3] for row in words_of(files / "plan.txt")}
    assert {(row[0], row[2]): row[3] for row in rows} == before
    without = poolwise("plan", "runs", "--pilot", "filled.txt", "--target-width", 0.1, "-m", "nDCG", "-o", "third.txt")
    assert without.code == 0


def test_measures_that_are_repeated_share_the_plan(poolwise, files):
    def drawn(*measures):
        words = [word for measure in measures for word in ("-m", measure)]
        name = f"{'-'.join(measures)}.txt"
        result = poolwise("plan", "runs", "--budget", 24, "--design", "model", *words, "-o", name)
        assert (result.code, result.err) == (0, "")
        return [(row[0], row[2]) for row in words_of(files / name) if row[1] == "1"]

    assert drawn("RR", "AP") == drawn("AP", "RR")
    assert drawn("RR", "AP") not in (drawn("RR"), drawn("AP"))
    refused = poolwise("plan", "runs", "--budget", 24, "-m", "RR", "-m", "AP", "--target-width", 0.1)
    assert (refused.code, "of one measure, not of RR, AP" in refused.err) == (2, True)


def test_a_forecast_of_several_measures_has_rows_for_each(poolwise, files):
    ask = ("plan", "runs", "--budget", 40, "--design", "model", "--depth", 20, "--difference", "run0", "run1")
    both = (*ask, "-m", "RR", "-m", "AP", "-o", "plan.txt")
    assert poolwise(*both, "--forecast", "widths.csv").code == 0
    header, *rows = (line.split(",") for line in (files / "widths.csv").read_text().splitlines())
    assert header == ["measure", "run", "labels", "width"]
    assert list(dict.fromkeys((row[0], row[1]) for row in rows)) == [
        (measure, name) for measure in ("RR", "AP") for name in ("run0", "run1", "run2", "run0 - run1")
    ]
    shown = poolwise(*both, "--forecast", "-")
    assert "Widths of 95 % intervals of RR, AP to expect, by number of labels:" in shown.out
    assert sum(line.split()[:2] == ["RR", "run0"] for line in shown.out.splitlines()) == 2
    assert poolwise(*both, "--forecast", "widths.html").code == 0
    page = (files / "widths.html").read_text()
    for measure in ("RR", "AP"):
        assert f"Width against labels ({measure})" in page
        assert re.search(rf"intervals \({measure}\) will be about so wide: [0-9.]+ for run0 - run1", page)
    poolwise(*ask, "-m", "RR", "-o", "one.txt", "--forecast", "one.csv")
    assert (files / "one.csv").read_text().splitlines()[0] == "run,labels,width"


def test_a_partly_filled_plan_is_noted(poolwise, files):
    poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    fill(files / "plan.txt", files / "filled.txt", share=0.5)
    scored = poolwise("score", "filled.txt", "runs", "-m", "xinfAP")
    assert scored.code == 0
    assert "12 of 24 drawn documents have no label yet" in scored.err
    later = poolwise("plan", "runs", "--pilot", "filled.txt", "--budget", 6, "-o", "second.txt")
    assert "12 documents of earlier rounds have no label; they are listed again after the new ones" in later.err


def test_a_plan_goes_to_standard_output_and_its_summary_beside_it(poolwise, files):
    result = poolwise("plan", "runs", "--budget", 24, "--seed", 1)
    assert result.code == 0
    assert all(len(line.split()) == 5 for line in result.out.splitlines() if not line.startswith("#"))
    plain = poolwise("plan", "runs", "--budget", 24, "--seed", 1, "--plain").out
    assert plain == "".join(line + "\n" for line in result.out.splitlines() if not line.startswith("#"))
    assert "round 1, 24 of" in result.err
    poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    assert (files / "plan.txt").read_text() == result.out


def test_the_pool_is_told_with_what_earlier_judgments_add_to_it(poolwise, files):
    """A pilot of complete judgments lists documents below the cut-off; an earlier plan of that depth lists none."""
    ask = ("plan", "runs", "--budget", 24, "-m", "nDCG@5", "--depth", 5)
    plain = poolwise(*ask, "-o", "plan.txt").out.splitlines()[-1]
    assert plain.startswith("the pool is the top 5 of the runs, and nDCG@5 will be relative to what is relevant there;")
    fill(files / "plan.txt", files / "filled.txt")
    assert poolwise(*ask, "--pilot", "filled.txt", "-o", "again.txt").out.splitlines()[-1] == plain
    lines = [f"{topic} 0 {d} {label}\n" for topic, own in CAMPAIGN.truth.items() for d, label in own.items()]
    (files / "all.txt").write_text(
        "".join(line.rsplit(" ", 1)[0] + " -1\n" if n % 2 else line for n, line in enumerate(lines))
    )
    more = poolwise(*ask, "--pilot", "all.txt", "-o", "more.txt").out.splitlines()[-1]
    pooled = len(words_of(files / "more.txt"))
    assert pooled > len(words_of(files / "plan.txt"))
    assert more == plain.replace("runs,", f"runs and what else the judgments list, {pooled} documents together,")


def test_other_designs(poolwise, files):
    (files / "contributing.txt").write_text("run0\nrun1\n")
    uniform = poolwise("plan", "runs", "--budget", 20, "--design", "uniform", "--depth", 10, "-o", "u.txt")
    assert uniform.code == 0
    assert {row[3] for row in words_of(files / "u.txt")} == {"1"}
    depth = poolwise(
        "plan", "runs", "--budget", 30, "--design", "depth_plus_random", "--contributing", "contributing.txt",
        "-o", "d.txt",
    )  # fmt: skip
    assert depth.code == 0
    rows = words_of(files / "d.txt")
    assert all(row[1] == "1" for row in rows if row[3] == "1")
    assert sum(row[1] == "1" for row in rows) == 30


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("runs",), 2, "a plan needs a budget, or a target width with pilot labels"),
        (("runs", "--budget", "2"), 2, "a budget of 2 judgments is less than one for each of 3 topics"),
        (("runs", "--budget", "x"), 2, "--budget 'x': expected a whole number"),
        (("runs", "--budget", "20", "--target-width", "0.1"), 2, "a target width needs pilot labels"),
        (("runs", "--budget", "20", "--design", "reduce"), 2, "choose one of stratified, model, uniform"),
        (("runs", "--budget", "20", "-m", "infAP"), 2, "a plan cannot be made for infAP: it is an estimate itself"),
        (("runs", "--budget", "20", "--difference", "run0", "run7"), 2, "no run is called 'run7'"),
        (("runs", "--budget", "20", "--pilot", "no.txt"), 1, "no.txt: no such file"),
        (("nowhere", "--budget", "20"), 1, "nowhere: no such file"),
        (("--budget", "20"), 2, "no run was given"),
        (("runs", "--budget", "20", "-o", "no/plan.txt"), 1, "no/plan.txt: there is no folder no; make it first"),
    ],
)
def test_what_is_wrong_is_said(poolwise, files, words, code, message):
    result = poolwise("plan", *words)
    assert result.code == code
    assert message in result.err
    assert result.out == ""
    assert "Traceback" not in result.err


def test_help_has_an_example(poolwise, files):
    result = poolwise("plan", "--help")
    assert result.code == 0
    assert "poolwise plan runs/ --budget 500 -o round1.txt" in result.out


def test_labels_come_back_as_csv(poolwise, files):
    poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    drawn = [row for row in words_of(files / "plan.txt") if row[1] != "0"]
    rows = [f"{row[2]},{CAMPAIGN.truth[row[0]][row[2]]},{row[0]}\n" for row in drawn]
    (files / "labels.csv").write_text("product,grade,query\n" + "".join(rows[:20]))
    (files / "more.csv").write_text("product,grade,query\n" + "".join(rows[20:23]))
    ask = ("merge", "plan.txt", "labels.csv", "more.csv", "--columns", "document=product,label=grade")
    result = poolwise(*ask, "-o", "judged.txt")
    assert (result.code, result.out) == (0, "judged.txt: 23 of 99 pooled documents have a label\n"), result.err
    assert "1 of 24 drawn documents have no label yet" in result.err
    text = (files / "judged.txt").read_text()
    assert text.startswith("# poolwise plan format 1\n")
    assert [row[:4] for row in words_of(files / "judged.txt")] == [row[:4] for row in words_of(files / "plan.txt")]
    assert poolwise("estimate", "judged.txt", "runs", "-m", "nDCG@10", "--format", "csv").code == 0
    plain = poolwise(*ask, "--plain")
    rows = [row for row in words_of(files / "judged.txt") if row[4] != "-1"]
    assert plain.out == "".join(f"{topic} 0 {document} {label}\n" for topic, _, document, _, label in rows)
    assert "nothing can be estimated from them" in plain.err
    assert poolwise(*ask, "--plain", "-o", "plain.csv").code == 0
    assert (files / "plain.csv").read_text().splitlines()[0] == "topic,document,label"
    (files / "drawn.txt").write_text("".join(line + "\n" for line in text.splitlines() if line.split()[1] == "1"))
    lost = poolwise("estimate", "drawn.txt", "runs", "-m", "nDCG@10")
    assert lost.code == 1
    assert "merge the labels with their plan (poolwise merge PLAN LABELS -o judged.txt)" in lost.err
    again = poolwise("merge", "plan.txt", "drawn.txt", "-o", "again.txt")
    assert again.code == 0
    assert (files / "again.txt").read_text() == text


def test_merge_refuses_what_was_not_drawn(poolwise, files):
    poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", "plan.txt")
    row = next(row for row in words_of(files / "plan.txt") if row[1] == "0")
    (files / "labels.txt").write_text(f"{row[0]} {row[2]} 1\n")
    refused = poolwise("merge", "plan.txt", "labels.txt", "-o", "judged.txt")
    assert refused.code == 1
    assert f"document {row[2]} of topic {row[0]} (labels.txt:1)" in refused.err
    assert not (files / "judged.txt").exists()
    none = poolwise("merge", "plan.txt", "labels.txt", "--drawn-only", "-o", "judged.txt")
    assert (none.code, none.out) == (1, "")
    assert "labels.txt: 1 label, none of a document that the plan drew; merge them with their plan" in none.err
    assert not (files / "judged.txt").exists()
    drawn = next(row for row in words_of(files / "plan.txt") if row[1] == "1")
    (files / "labels.txt").write_text(f"{row[0]} {row[2]} 1\n{drawn[0]} {drawn[2]} 1\n")
    left = poolwise("merge", "plan.txt", "labels.txt", "--drawn-only", "-o", "judged.txt")
    assert (left.code, left.out) == (0, "judged.txt: 1 of 99 pooled documents has a label\n")
    assert "1 label of documents that the plan did not draw left out, as asked\n" in left.err
    taken = poolwise("merge", "plan.txt", "labels.txt", "--extra", "-o", "judged.txt")
    assert taken.code == 0
    assert "judged in full, and speak for no others" in taken.err


def test_plans_take_predictions(poolwise, files):
    known = CAMPAIGN.truth.items()
    lines = [f"{topic} {name} {label}\n" for topic, own in known for name, label in own.items()]
    (files / "one.txt").write_text("".join(lines))
    (files / "two.csv").write_text("topic,document,value\n" + "".join(lines).replace(" ", ","))
    ask = ("plan", "runs", "--budget", 24, "--design", "model")
    plain, one, both = (
        poolwise(*ask, *more).out
        for more in ((), ("--predictions", "one.txt"), ("--predictions", "one.txt", "--predictions", "two.csv"))
    )
    assert one == both
    assert one != plain
    assert "depth 5\n" in poolwise(*ask, "-m", "P@5").out
    assert poolwise(*ask, "--predictions", "none.txt").code == 1


def test_a_forecast_that_cannot_be_written_stops_the_plan(poolwise, files):
    refused = poolwise(
        "plan", "runs", "--budget", 24, "-o", "plan.txt", "--to-judge", "todo.csv", "--forecast", "f.xyz"
    )
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("poolwise: f.xyz: no format ends in .xyz; use .csv")
    assert not any((files / name).exists() for name in ("plan.txt", "todo.csv", "f.xyz"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_a_plan_of_any_format_takes_labels(poolwise, files, ending):
    """Merged, it is the plan as text with the same labels, but for comments, which tables have none of."""
    for name in ("plan.txt", f"plan.{ending}"):
        assert poolwise("plan", "runs", "--budget", 24, "--seed", 1, "-o", name).code == 0
    fill(files / "plan.txt", files / "filled.txt")
    result = poolwise("merge", f"plan.{ending}", "filled.txt", "-o", "judged.txt")
    assert result.code == 0, result.err
    assert words_of(files / "judged.txt") == words_of(files / "filled.txt")


def test_a_forecast_is_printed_or_written(poolwise, files):
    asked = ("plan", "runs", "--budget", "40", "-o", "p.txt", "--overwrite")
    shown = poolwise(*asked, "--difference", "run0", "run1", "--difference", "run0", "run2", "--forecast", "-")
    assert shown.code == 0
    assert "Widths of 95 % intervals of AP to expect, by number of labels:" in shown.out
    assert "run0 - run2" in shown.out
    assert poolwise(*asked, "--forecast", "f.csv").code == 0
    rows = (files / "f.csv").read_text().splitlines()
    assert rows[0] == "run,labels,width"
    assert rows[-1] == "two runs (typical),99,0.0"  # the whole pool
    assert poolwise(*asked, "--forecast", "f.html").code == 0
    assert "Width against labels" in (files / "f.html").read_text()


def test_several_measures_in_one_text_are_several(poolwise, files):
    plans = []
    for name, asked in (("a.txt", ("-m", "RR,nDCG@5")), ("b.txt", ("-m", "RR", "-m", "nDCG@5"))):
        assert poolwise("plan", "runs", "--budget", "60", "--design", "model", *asked, "-o", name).code == 0
        plans.append([line for line in (files / name).read_text().splitlines() if not line.startswith("#")])
    assert plans[0] == plans[1]


def test_costs_and_shares_of_topics(poolwise, files):
    first = poolwise("plan", "runs", "--budget", "40", "-o", "p.txt")
    assert first.code == 0
    lines = [line.split() for line in (files / "p.txt").read_text().splitlines() if not line.startswith("#")]
    (files / "cost.txt").write_text("".join(f"{row[0]} {row[2]} {1 + n % 3}\n" for n, row in enumerate(lines)))
    made = poolwise("plan", "runs", "--budget", "60", "--cost", "cost.txt", "--topic-shares", "worth", "-o", "q.txt")
    assert made.code == 0
    spent = float(made.out.rsplit("cost of what is drawn: ", 1)[1])
    assert 40 < spent < 80


def test_all_differences_are_asked_for_in_one_word(poolwise, files):
    ask = ("plan", "runs", "--budget", "40", "--design", "model")
    plain, every = poolwise(*ask), poolwise(*ask, "--difference", "all")
    assert every.code == 0
    assert every.out != plain.out
    assert poolwise(*ask, "--difference", "all", "all").out == every.out
    names = sorted(file.stem for file in (files / "runs").iterdir())
    pairs = [word for n, a in enumerate(names) for b in names[n + 1 :] for word in ("--difference", a, b)]
    lines = [
        [line for line in poolwise(*ask, *given).out.splitlines() if not line.startswith("#")]
        for given in (("--difference", "all"), pairs, ("--difference", "run0", "all"))
    ]
    assert lines[0] == lines[1]
    assert lines[0] != lines[2]
