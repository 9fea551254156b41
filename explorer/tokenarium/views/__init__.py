"""The workspaces: each ties widgets to the session."""
