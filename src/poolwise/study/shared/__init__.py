"""What the studies share: choices, trials, work kept on disk, the result. Only studies use it."""
