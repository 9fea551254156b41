"""Why a text became these tokens, and what the entries are.

Public: the modules, one for each question. Import only those that you need.
"""
