"""How far a comparison of systems can be trusted, and how many topics it needs. May import: the stations up to show."""
