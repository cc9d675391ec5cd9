"""Drop-ins: other tools' interfaces with poolwise behind them.

May import: all but simulate, study, report, assess and cli.
"""
