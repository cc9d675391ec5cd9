"""The papers' experiments on real campaigns, which are not ours and not in this repository."""
