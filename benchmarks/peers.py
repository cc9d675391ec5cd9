"""What other tools can and cannot do, found by running them; prints the table of docs/peers.md.

    python benchmarks/peers.py

A measure counts when a call returns a number for it, a habit when a small campaign shows it, a facility when its call
runs. "no" to a facility also means that no public name of the package looks like it; a name that does is "?".
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import poolwise

PEERS = {
    "poolwise": "poolwise",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
    "trectools": "trectools",
    "pyNTCIREVAL": "pyNTCIREVAL",
    "pyterrier": "pyterrier",
}
QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "b": 0, "e": 1}}
RUN = {"1": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}, "2": {"a": 3.0, "y": 2.0, "e": 1.0}}

# The name of a measure in each tool; a tool that is not listed is asked by ours. PyTerrier's are those of ir_measures.
NAMES = {
    "AP": {"pytrec_eval": "map", "ranx": "map", "trectools": "map", "pyNTCIREVAL": "AP"},
    "nDCG@10": {"pytrec_eval": "ndcg_cut_10", "ranx": "ndcg@10", "trectools": "ndcg", "pyNTCIREVAL": "MSnDCG"},
    "bpref": {"ir_measures": "Bpref", "trectools": "bpref"},
    "infAP": {},
    "xinfAP": {},
    "infNDCG": {},
    "AP'": {"ir_measures": "AP(judged_only=True)"},
    "Q": {"pyNTCIREVAL": "QMeasure"},
    "rpref_N": {},
    "ERR@10": {"ranx": "err@10", "pyNTCIREVAL": "ERR"},
    "RBP": {
        "ir_measures": "RBP(rel=1)",
        "pytrec_eval": "rbp",
        "ranx": "rbp.80",
        "trectools": "rbp",
        "pyNTCIREVAL": "RBP",
    },
    "RBPres": {"pytrec_eval": "rbp_resid", "trectools": "rbp residual"},
    "Judged@10": {},
    "alpha_nDCG@10": {},
}


# ---- One score of each tool -----------------------------------------------------------------------------------------


def poolwise_score(qrels: Any, run: Any, measure: str) -> float:
    if measure.startswith("alpha"):  # needs subtopics
        rows = [(topic, "1", d, label) for topic, of in qrels.items() for d, label in of.items()]
        return float(poolwise.read(rows, {"run": run}, subtopics=True).score(measure).means().item())
    return float(poolwise.read(qrels, {"run": run}).score(measure).means().item())


def pytrec_eval_score(qrels: Any, run: Any, measure: str) -> float:
    import pytrec_eval

    name = re.sub(r"_(\d+)$", r".\1", measure)
    found = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    return sum(scores[measure] for scores in found.values()) / len(found)


def ir_measures_score(qrels: Any, run: Any, measure: str) -> float:
    import ir_measures

    if measure.startswith("alpha"):  # needs subtopics
        qrels = [ir_measures.Qrel(topic, d, label, "1") for topic, of in qrels.items() for d, label in of.items()]
    return float(next(iter(ir_measures.calc_aggregate([ir_measures.parse_measure(measure)], qrels, run).values())))


def ranx_score(qrels: Any, run: Any, measure: str) -> float:
    import ranx

    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), measure, make_comparable=True))


def trectools_score(qrels: Any, run: Any, measure: str) -> float:
    import trectools

    judged = trectools.TrecQrel()
    judged.qrels_data = frame(qrels, "query", "docid", "rel").assign(q0=0)
    found = getattr(trectools.TrecEval(trectools_run(run), judged), f"get_{measure.split()[0]}")()
    return float(found["residual" in measure] if isinstance(found, tuple) else found)


def trectools_run(run: Any) -> Any:
    import trectools

    made = trectools.TrecRun()
    made.run_data = frame(run, "query", "docid", "score").assign(q0="Q0", rank=0, system="run")
    return made


def frame(table: Any, *columns: str) -> Any:
    import pandas

    return pandas.DataFrame([(t, d, value) for t, of in table.items() for d, value in of.items()], columns=columns)


def experiment(measures: list[Any], qrels: Any = QRELS, runs: Any = (RUN,), **options: Any) -> Any:
    """PyTerrier's Experiment, which needs no Java for runs that are there already."""
    import pandas
    import pyterrier

    topics = pandas.DataFrame({"qid": list(qrels), "query": "words"})
    given = [frame(run, "qid", "docno", "score").assign(rank=0) for run in runs]
    return pyterrier.Experiment(given, topics, frame(qrels, "qid", "docno", "label"), measures, **options)


def pyterrier_score(qrels: Any, run: Any, measure: str) -> float:
    import ir_measures

    return float(experiment([ir_measures.parse_measure(measure)], qrels, [run]).iloc[0, 1])


def pyntcireval_score(qrels: Any, run: Any, measure: str) -> float:
    from pyNTCIREVAL import metrics
    from pyNTCIREVAL.labeler import Labeler

    more = {"QMeasure": (1.0,), "RBP": (0.8,), "MSnDCG": (10,)}.get(measure, ())
    found = []
    for topic, documents in qrels.items():
        labeler = Labeler(documents)
        ranking = sorted(run.get(topic, {}), key=lambda d: -run[topic][d])
        computed = getattr(metrics, measure)(labeler.compute_per_level_doc_num(3), [1, 2], *more)
        found.append(computed.compute(labeler.label(ranking)))
    return sum(found) / len(found)


SCORE: dict[str, Callable[[Any, Any, str], float]] = {
    "poolwise": poolwise_score,
    "pytrec_eval": pytrec_eval_score,
    "ir_measures": ir_measures_score,
    "ranx": ranx_score,
    "trectools": trectools_score,
    "pyNTCIREVAL": pyntcireval_score,
    "pyterrier": pyterrier_score,
}


def score(peer: str, measure: str, qrels: Any = QRELS, run: Any = RUN) -> float | None:
    """A tool's score, or None if it has none."""
    try:
        speaks = "ir_measures" if peer == "pyterrier" else peer
        value = SCORE[peer](qrels, run, NAMES.get(measure, {}).get(speaks, measure))
    except (Exception, SystemExit):
        return None
    return value if math.isfinite(value) else None


# ---- Habits, on campaigns that show them ----------------------------------------------------------------------------


def same_in_any_order(peer: str) -> str:
    """Whether a tie is broken alike, in whichever order the run lists it."""
    qrels = {"1": {"a": 1, "b": 0}}
    found = {score(peer, "AP", qrels, {"1": dict.fromkeys(order, 1.0)}) for order in ("ab", "ba")}
    return "yes" if len(found) == 1 else "no"


def doubles(peer: str) -> str:
    value = score(peer, "AP", {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.00000001, "b": 1.0}})
    return "yes" if value == 1 else "no"


def missing_topics(peer: str) -> str:
    if peer == "pyNTCIREVAL":
        return "one topic a call"
    value = score(peer, "AP", {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}})
    return {0.5: "score 0", 1.0: "left out", None: "an error"}.get(value, str(value))


def negative_gains(peer: str) -> str:
    """Whether nDCG can count labels below 0 against a run."""
    qrels, run = {"1": {"a": -2, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    if peer == "poolwise":
        return "yes" if score(peer, "nDCG(negative='minmax')", qrels, run) != score(peer, "nDCG", qrels, run) else "no"
    plain = score(peer, "nDCG@10", {"1": {"a": 0, "b": 1}}, run)
    return "no" if score(peer, "nDCG@10", qrels, run) in (plain, None) else "yes"


# ---- Facilities -----------------------------------------------------------------------------------------------------


@cache
def public_names(package: str) -> str:
    """All public names of a package, its modules included."""
    module = importlib.import_module(package)
    names: set[str] = set()
    for found in [module, *_modules(module)]:
        for name, value in vars(found).items():
            if not name.startswith("_") and str(getattr(value, "__module__", package)).startswith(package):
                names |= {name, *(dir(value) if isinstance(value, type) else ())}
    return "\n".join(sorted(names))


def _modules(package: Any) -> Iterator[Any]:
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=lambda name: None):
        if found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except (Exception, SystemExit):
            continue


def facility(pattern: str, **calls: Callable[[], Any]) -> Callable[[str], str]:
    """Whether a tool's call runs; of a tool without a call, whether any public name looks like the facility."""

    def look(peer: str) -> str:
        if peer in calls:
            calls[peer]()
            return "yes"
        return "?" if re.search(pattern, public_names(peer), re.IGNORECASE | re.MULTILINE) else "no"

    return look


def two_runs() -> Any:
    return poolwise.read(QRELS, {"one": RUN, "two": {"1": {"a": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}})


def ranx_runs() -> Any:
    import ranx

    return ranx.Qrels(QRELS), [ranx.Run(RUN, name="one"), ranx.Run({t: {"a": 1.0} for t in RUN}, name="two")]


def ranx_compare() -> Any:
    import ranx

    return ranx.compare(*ranx_runs(), ["map"])


def ranx_fuse() -> Any:
    import ranx

    return ranx.fuse(runs=ranx_runs()[1], method="rrf")


def trectools_compare() -> Any:
    import pandas
    import trectools

    given = [trectools.TrecRes(), trectools.TrecRes()]
    for number, result in enumerate(given):
        rows = {"metric": "map", "query": list("1234"), "value": [0.1, 0.2 + number, 0.3, 0.5], "system": "run"}
        result.data = pandas.DataFrame(rows)
    return given[0].compare_with(given[1], "map")


def trectools_fuse() -> Any:
    import trectools.fusion

    return trectools.fusion.reciprocal_rank_fusion([trectools_run(RUN), trectools_run(RUN)])


def trectools_pool() -> Any:
    import trectools

    return trectools.TrecPoolMaker().make_pool([trectools_run(RUN)], topX=2)


def define_for_ir_measures() -> Any:
    import ir_measures

    own = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="Own")
    return ir_measures.calc_aggregate([own], QRELS, RUN), own


def own_of_ours() -> Any:
    own = poolwise.measure(f"Own{len(dir(poolwise))}")(lambda labels: float(len(labels)))
    return poolwise.read(QRELS, {"run": RUN}).score(own)


def terrier_test(**options: Any) -> Any:
    import ir_measures

    found = experiment([ir_measures.AP], runs=[RUN, {t: {"b": 1.0} for t in RUN}], baseline=0, **options)
    return found["AP p-value" if not options else "AP p-value corrected"]


def from_gzip(peer: str) -> str:
    import gzip

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.txt.gz"
        lines = (f"{t} Q0 {d} 0 {s} run\n" for t, of in RUN.items() for d, s in of.items())
        path.write_bytes(gzip.compress("".join(lines).encode()))
        readers: dict[str, Callable[[], Any]] = {
            "poolwise": lambda: poolwise.read(QRELS, path),
            "pytrec_eval": lambda: __import__("pytrec_eval").parse_run(path.open()),
            "ir_measures": lambda: list(__import__("ir_measures").read_trec_run(str(path))),
            "ranx": lambda: __import__("ranx").Run.from_file(str(path), kind="trec"),
            "pyterrier": lambda: __import__("pyterrier").io.read_results(str(path)),
            "trectools": lambda: __import__("trectools").TrecRun(str(path)).run_data.docid.iloc[0] == "b" or 1 / 0,
        }
        try:
            readers[peer]()
        except (Exception, SystemExit):
            return "no"
    return "yes"


def measure_row(name: str) -> Callable[[str], str]:
    return lambda peer: "yes" if score(peer, name) is not None else "no"


FEATURES: dict[str, Callable[[str], str]] = {
    **{f"`{name}`": measure_row(name) for name in NAMES},
    "labels below 0 can count against a run": negative_gains,
    "ties: the same score in any order of lines": same_in_any_order,
    "scores compared as 64-bit floats": doubles,
    "topics that a run lacks": missing_topics,
    "reads gzip": from_gzip,
    "measures of one's own": facility(
        r"^define|^custom_measure|^BaseMeasure$",
        poolwise=own_of_ours,
        ir_measures=define_for_ir_measures,
        pyterrier=lambda: experiment([define_for_ir_measures()[1]]),
    ),
    "tests of significance": facility(
        r"significan|t_test|randomi[sz]ation_test|tukey|^compare",
        poolwise=lambda: poolwise.compare(two_runs().score("AP"), "AP"),
        ranx=ranx_compare,
        trectools=trectools_compare,
        pyterrier=terrier_test,
    ),
    "correction for many pairs": facility(
        r"holm|bonferroni|correction",
        poolwise=lambda: poolwise.compare(two_runs().score("AP"), "AP", correction="holm"),
        pyterrier=lambda: terrier_test(correction="holm"),
    ),
    "intervals of scores": facility(
        r"score_interval|confidence_bounds", poolwise=lambda: two_runs().score("AP", interval="topics").mean_low()
    ),
    "bounds that unjudged documents leave": facility(
        r"^bounds", poolwise=lambda: two_runs().score("AP", interval="bounds").mean_low()
    ),
    "samples of judgments, by design": facility(
        r"^sampl(e|ing)$|stratified", poolwise=lambda: two_runs().judgments.sample("uniform", fraction=0.5, seed=1)
    ),
    "depth pools": facility(
        r"make_pool",
        poolwise=lambda: poolwise.read(None, {"run": RUN}).plan(budget=2, design="depth"),
        trectools=trectools_pool,
    ),
    "plans of what to judge next": facility(
        r"^plan$", poolwise=lambda: poolwise.read(None, {"run": RUN}).plan(budget=2)
    ),
    "estimates from sampled labels with intervals": facility(r"^estimate$", poolwise=lambda: two_runs().estimate("AP")),
    "reliability, topics needed": facility(
        r"reliab|generalizab|topics_needed", poolwise=lambda: poolwise.reliability(two_runs().score("AP"), "AP")
    ),
    "fusion of runs": facility(r"^fus(e|ion)$|reciprocal_rank_fusion", ranx=ranx_fuse, trectools=trectools_fuse),
    "retrieval pipelines": facility(
        r"^(Terrier)?Retriever$", pyterrier=lambda: public_names("pyterrier").index("Retriever")
    ),
}


def main() -> None:
    warnings.simplefilter("ignore")
    versions = {peer: poolwise.__version__ if peer == "poolwise" else version(name) for peer, name in PEERS.items()}
    print("| | " + " | ".join(f"{peer} {number}" for peer, number in versions.items()) + " |")
    print("|---|" + "---|" * len(PEERS))
    for feature, probe in FEATURES.items():
        print(f"| {feature} | " + " | ".join(probe(peer) for peer in PEERS) + " |", flush=True)


if __name__ == "__main__":
    main()
