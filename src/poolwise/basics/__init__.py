"""What every folder may use: checks, words, rows as text, results, threads, workers, whole files. Imports nothing."""
