"""How well two rankings of the same runs agree. May import: the stations up to show."""
