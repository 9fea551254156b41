"""The entries of a vocabulary that a filter finds, and the merges that make them, at once."""

from __future__ import annotations

import numpy as np

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import diagnose
from tokenarium.models.task import finish
from tokenarium.models.vocabulary.merge_list import MergeList, pair_in
from tokenarium.models.vocabulary.vocabulary_columns import (
    ColumnPreparation,
    Ids,
    Mask,
    VocabularyColumns,
)
from tokenarium.models.vocabulary.vocabulary_filter import ExpressionSearch, Filter, space_signs
from tokenarium.models.vocabulary.vocabulary_query import Term, parse


def vocabulary_columns(tokenizer: tc.Tokenizer) -> VocabularyColumns:
    """Returns the columns of a vocabulary, all of them made."""
    columns = VocabularyColumns(tokenizer)
    work = ColumnPreparation(columns)
    while not work.finished:
        work.step(1000)
    return columns


def matching_entries(
    columns: VocabularyColumns, line: str = "", column: str = "id", descending: bool = False
) -> Ids:
    """Returns the ids that a filter finds, sorted by a column; QueryError for an invalid filter.

    "finding:" examines the tokenizer first.
    """
    terms = parse(line, space_signs(columns))
    order = columns.order(column, descending)
    return _searched(columns, terms, order[_mask(columns, terms)[order]])


def matching_merges(
    merges: MergeList, line: str = "", column: str = "rank", descending: bool = False
) -> Ids:
    """Returns the places in a list of merges that a filter finds: of a pair of ids, or by the entries that are made."""
    rows = merges.order(column, descending)
    pair = pair_in(line)
    if pair is not None:
        return merges.of_pair(*pair, rows)
    columns = merges.columns
    terms = parse(line, space_signs(columns))
    if not terms:
        return rows
    entries = np.flatnonzero(_mask(columns, terms)).astype(np.int32)
    mask = np.zeros(columns.count, np.bool_)
    mask[_searched(columns, terms, entries)] = True
    return merges.of_entries(mask, rows)


def _mask(columns: VocabularyColumns, terms: list[Term]) -> Mask:
    findings = {}
    if any(term.key == "finding" for term in terms):
        findings = {finding.id: finding.tokens for finding in diagnose(columns.tokenizer)}
    return Filter(columns, findings).mask(terms)


def _searched(columns: VocabularyColumns, terms: list[Term], rows: Ids) -> Ids:
    """Returns those of some entries that satisfy the regular expressions."""
    if not any(term.key == "re" for term in terms):
        return rows
    search = ExpressionSearch(columns, terms, rows)
    finish(search)
    return search.matches
