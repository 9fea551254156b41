"""Why a text became these tokens, and what the entries are.

Public: the modules, one for each question. Import the one that you need: most programs need none.
"""
