"""Files of any supported kind and tables in memory become rows.

May import: basics. Only this folder opens input files.
"""
