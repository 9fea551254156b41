"""What the menus, the command palette and the sheets do: every action, and the commands behind them."""
