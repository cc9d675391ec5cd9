"""How far labels, rankings and topics can be trusted. May import: scores and below."""
