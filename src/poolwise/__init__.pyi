"""What users may import, written by docs/generate.py."""

from poolwise import study as study
from poolwise.agree.assessors import LabelAgreement as LabelAgreement
from poolwise.agree.assessors import label_agreement as label_agreement
from poolwise.agree.overlap import Overlap as Overlap
from poolwise.agree.overlap import rank_biased_overlap as rank_biased_overlap
from poolwise.agree.ranking_agreement import Agreement as Agreement
from poolwise.agree.ranking_agreement import agreement as agreement
from poolwise.agree.ranking_agreement import knee as knee
from poolwise.assess.server import JudgingServer as JudgingServer
from poolwise.assess.server import judge as judge
from poolwise.audit import Audit as Audit
from poolwise.audit import audit as audit
from poolwise.campaign import Campaign as Campaign
from poolwise.campaign import read as read
from poolwise.compare import Comparison as Comparison
from poolwise.compare import compare as compare
from poolwise.compare.decisions import Decisions as Decisions
from poolwise.compare.decisions import decisions as decisions
from poolwise.compare.discrimination import DiscriminativePower as DiscriminativePower
from poolwise.compare.discrimination import discriminative_power as discriminative_power
from poolwise.compare.topic_groups import TopicGroups as TopicGroups
from poolwise.compare.topic_groups import topic_groups as topic_groups
from poolwise.effects.assessor_effect import AssessorEffect as AssessorEffect
from poolwise.effects.assessor_effect import assessor_effect as assessor_effect
from poolwise.effects.model_effect import ModelEffect as ModelEffect
from poolwise.effects.model_effect import model_effect as model_effect
from poolwise.errors import ArgumentError as ArgumentError
from poolwise.errors import InputError as InputError
from poolwise.errors import MissingDependency as MissingDependency
from poolwise.errors import PoolwiseError as PoolwiseError
from poolwise.errors import PoolwiseWarning as PoolwiseWarning
from poolwise.estimate.estimates import Estimate as Estimate
from poolwise.estimate.seen_looks import Looks as Looks
from poolwise.holes.find_holes import HolePairs as HolePairs
from poolwise.holes.find_holes import Holes as Holes
from poolwise.holes.settling import Settling as Settling
from poolwise.ir_measures_name import as_ir_measure as as_ir_measure
from poolwise.items.estimate_items import estimate_items as estimate_items
from poolwise.items.item_results import ItemDifferences as ItemDifferences
from poolwise.items.item_results import ItemEstimate as ItemEstimate
from poolwise.items.plan_items import ItemPlan as ItemPlan
from poolwise.items.plan_items import plan_items as plan_items
from poolwise.judge.judgments import Judgments as Judgments
from poolwise.plan.judging_plan import Plan as Plan
from poolwise.plan.merging import merge as merge
from poolwise.pool.pool import Pool as Pool
from poolwise.reliability.dependable_scores import Reliability as Reliability
from poolwise.reliability.error_rate import ErrorRates as ErrorRates
from poolwise.reliability.error_rate import error_rates as error_rates
from poolwise.reliability.generalizability import reliability as reliability
from poolwise.reliability.topics_needed import TopicsNeeded as TopicsNeeded
from poolwise.reliability.topics_needed import topics_needed as topics_needed
from poolwise.report.participant_pages import report as report
from poolwise.score.means import Means as Means
from poolwise.score.measure import Measure as Measure
from poolwise.score.named_measures import define as define
from poolwise.score.named_measures import load_measures as load_measures
from poolwise.score.named_measures import save_measures as save_measures
from poolwise.score.partitioned import score_log as score_log
from poolwise.score.registry import parse as parse
from poolwise.score.scores import Scores as Scores
from poolwise.score.stream import Streamed as Streamed
from poolwise.score.stream import score_stream as score_stream
from poolwise.score.user_measures import measure as measure
from poolwise.simulate import Shape as Shape
from poolwise.simulate import Simulated as Simulated
from poolwise.simulate import simulate as simulate
from poolwise.study.shared.study_result import Study as Study
from poolwise.weights import Optimum as Optimum
from poolwise.weights import optimal_both as optimal_both
from poolwise.weights import optimal_discount as optimal_discount
from poolwise.weights import optimal_gain as optimal_gain

__version__: str
__all__: list[str]

P: Measure
R: Measure
Rprec: Measure
RR: Measure
Success: Measure
AP: Measure
GMAP: Measure
IPrec: Measure
IPrec11: Measure
nDCG: Measure
Q: Measure
ERR: Measure
nERR: Measure
RBP: Measure
RBPres: Measure
Judged: Measure
Unjudged: Measure
bpref: Measure
GMbpref: Measure
bpref_R: Measure
bpref_N: Measure
bpref_old: Measure
bpref10: Measure
bpref_relative: Measure
rpref_N: Measure
rpref_relative: Measure
rpref_relative2: Measure
NumQ: Measure
NumRet: Measure
NumRel: Measure
NumRelRet: Measure
Hits: Measure
NumNonrelRet: Measure
DCG: Measure
IDCG: Measure
nDCGrel: Measure
RnDCG: Measure
G: Measure
binG: Measure
YAAP: Measure
NCU: Measure
Omeasure: Measure
Pmeasure: Measure
Pplus: Measure
Compat: Measure
alpha_DCG: Measure
alpha_nDCG: Measure
ERR_IA: Measure
nERR_IA: Measure
NRBP: Measure
nNRBP: Measure
StRecall: Measure
P_IA: Measure
AP_IA: Measure
infAP: Measure
xinfAP: Measure
infNDCG: Measure
statAP: Measure
iP: Measure
SetP: Measure
SetR: Measure
SetF: Measure
F1: Measure
SetAP: Measure
SetRelativeP: Measure
RelativeP: Measure
Utility: Measure
