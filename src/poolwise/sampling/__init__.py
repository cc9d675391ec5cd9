"""Draws of documents, items and queries: cells, rates, allocation, designs. May import: pool and below."""
