"""What labels do to runs: how a ranking moves with the assessor, whom a model favours, and what it saves."""
