"""Why a text became these tokens and no others, and what the entries of a vocabulary are.

Public: the modules, one for each question. They are loaded where they are asked: most programs need none.
"""
