"""The designs that plans may draw by; without numpy, for the command line."""

PLAN_DESIGNS = ("stratified", "model", "uniform", "depth_plus_random", "depth")
