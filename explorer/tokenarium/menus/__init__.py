"""The menus, the command palette and the dialogs: every action, and the command that it runs."""
