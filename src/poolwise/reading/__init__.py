"""Reading judgments and runs: files of any supported kind, and tables in memory.

May import: errors, extras, threads and the core. Only this folder opens input files.
"""
