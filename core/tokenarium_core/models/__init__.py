"""The stage that makes ids of pre-tokens: a folder or a file for each kind of model, and the words that all remember."""
