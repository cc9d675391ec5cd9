"""Old judgments, new runs: what unjudged documents (holes) leave open, what a model says of them, which to judge.

May import: everything up to plan, so that what is to be judged comes as a plan.
"""
