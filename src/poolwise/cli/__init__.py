"""The command line. Each command is a module with SUMMARY, EXAMPLE, add_arguments and run.

May import: everything. Only this folder prints.
"""
