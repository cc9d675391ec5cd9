"""Tools for every folder: checks, words, rows as text, results, threads, workers, files. Imports no other folder."""
