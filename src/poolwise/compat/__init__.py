"""Other tools' interfaces with poolwise behind them. May import: campaign and below."""
