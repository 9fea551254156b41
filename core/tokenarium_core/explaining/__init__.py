"""Why a text became these tokens and no others, and what the entries of a vocabulary are."""
