"""Tables of figures in the README, the guide and the models' cards, made from the files of results behind them."""
