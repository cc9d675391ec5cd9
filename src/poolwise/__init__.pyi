"""What users may import, written by docs/generate.py."""

from poolwise import study as study
from poolwise.audits.audit import Audit as Audit
from poolwise.audits.audit import audit as audit
from poolwise.audits.holes import HolePairs as HolePairs
from poolwise.audits.holes import Holes as Holes
from poolwise.audits.settling import Settling as Settling
from poolwise.campaign.assessor_effect import AssessorEffect as AssessorEffect
from poolwise.campaign.assessor_effect import assessor_effect as assessor_effect
from poolwise.campaign.campaign import Campaign as Campaign
from poolwise.campaign.campaign import read as read
from poolwise.campaign.model_effect import ModelEffect as ModelEffect
from poolwise.campaign.model_effect import model_effect as model_effect
from poolwise.campaign.participant_pages import report as report
from poolwise.comparisons.compare_runs import compare as compare
from poolwise.comparisons.comparison import Comparison as Comparison
from poolwise.comparisons.decisions import Decisions as Decisions
from poolwise.comparisons.decisions import decisions as decisions
from poolwise.comparisons.discrimination import DiscriminativePower as DiscriminativePower
from poolwise.comparisons.discrimination import discriminative_power as discriminative_power
from poolwise.comparisons.topic_groups import TopicGroups as TopicGroups
from poolwise.comparisons.topic_groups import topic_groups as topic_groups
from poolwise.compat.ir_measures_name import as_ir_measure as as_ir_measure
from poolwise.errors import ArgumentError as ArgumentError
from poolwise.errors import InputError as InputError
from poolwise.errors import MissingDependency as MissingDependency
from poolwise.errors import PoolwiseError as PoolwiseError
from poolwise.errors import PoolwiseWarning as PoolwiseWarning
from poolwise.estimates.estimates import Estimate as Estimate
from poolwise.estimates.interim_looks import Looks as Looks
from poolwise.judging.server import JudgingServer as JudgingServer
from poolwise.judging.server import judge as judge
from poolwise.lab.simulate.drawing import Shape as Shape
from poolwise.lab.simulate.drawing import simulate as simulate
from poolwise.lab.simulate.simulated import Simulated as Simulated
from poolwise.lab.study.result import Study as Study
from poolwise.lab.weights.both import optimal_both as optimal_both
from poolwise.lab.weights.discount_gain import optimal_discount as optimal_discount
from poolwise.lab.weights.discount_gain import optimal_gain as optimal_gain
from poolwise.lab.weights.optimum import Optimum as Optimum
from poolwise.measures.measure import Measure as Measure
from poolwise.measures.own_measures import define as define
from poolwise.measures.own_measures import load_measures as load_measures
from poolwise.measures.own_measures import measure as measure
from poolwise.measures.own_measures import save_measures as save_measures
from poolwise.measures.registry import parse as parse
from poolwise.plans.merge import merge as merge
from poolwise.plans.plan import Plan as Plan
from poolwise.pool.judgments import Judgments as Judgments
from poolwise.pool.pool import Pool as Pool
from poolwise.rated_items.estimate_items import estimate_items as estimate_items
from poolwise.rated_items.item_results import ItemDifferences as ItemDifferences
from poolwise.rated_items.item_results import ItemEstimate as ItemEstimate
from poolwise.rated_items.plan_items import ItemPlan as ItemPlan
from poolwise.rated_items.plan_items import plan_items as plan_items
from poolwise.scores.partitioned import score_log as score_log
from poolwise.scores.score_rows import Means as Means
from poolwise.scores.scores import Scores as Scores
from poolwise.scores.stream import Streamed as Streamed
from poolwise.scores.stream import score_stream as score_stream
from poolwise.trust.error_rates import ErrorRates as ErrorRates
from poolwise.trust.error_rates import error_rates as error_rates
from poolwise.trust.generalizability import reliability as reliability
from poolwise.trust.label_agreement import LabelAgreement as LabelAgreement
from poolwise.trust.label_agreement import label_agreement as label_agreement
from poolwise.trust.rank_correlation import Overlap as Overlap
from poolwise.trust.rank_correlation import rank_biased_overlap as rank_biased_overlap
from poolwise.trust.ranking_agreement import Agreement as Agreement
from poolwise.trust.ranking_agreement import agreement as agreement
from poolwise.trust.ranking_agreement import knee as knee
from poolwise.trust.reliability import Reliability as Reliability
from poolwise.trust.topics_needed import TopicsNeeded as TopicsNeeded
from poolwise.trust.topics_needed import topics_needed as topics_needed

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
