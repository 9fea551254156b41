"""What the menus, the command palette and the dialogs do: every action, and the commands behind them."""
