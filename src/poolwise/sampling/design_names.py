"""The designs of samples by name, in the order of their table; without numpy, for the command line."""

DESIGN_NAMES = ("reduce", "uniform", "depth", "depth_plus_random", "stratified", "pair", "without")
