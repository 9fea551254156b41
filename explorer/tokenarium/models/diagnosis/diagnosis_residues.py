"""Entries that exist only as steps to others."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level
from tokenarium.models.text.piece import counted, percent
from tokenarium_core.changing import residues as token_residues
from tokenarium_core.changing.token_usage import usage_of
from tokenarium_core.models import BoundlessBpe, BytePairEncoder, CharacterBpe, PickyBpe

LEAST = 20
"""Times that merges must make an entry of the sample texts: they have some seventy thousand characters."""

SHARE = 0.01
"""The largest share of these times in which a residue stays a token."""

METHOD = (
    "The sample texts that come with Tokenarium are encoded, and every merge is counted. An entry is a residue if other"
    f" entries are made of it, merges make it {LEAST} times or more, and it stays a token in at most {percent(SHARE)} of"
    " them (Sun et al. 2026, LiteToken). Other texts have other residues: tokenarium prune counts them on a corpus."
)


def residues(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which entries are made by merges, and hardly ever stay tokens."""
    title = "Residues of merges"
    if isinstance(tokenizer.model, BoundlessBpe):
        deleted = counted(int(tokenizer.model.events.removed), "entry", "entries")
        return Diagnosis(
            "residues",
            title,
            Level.FINE,
            f"BoundlessBPE deleted {deleted} in its training: little more than steps to others. They keep"
            " their ids, and no text becomes them.",
            METHOD,
        )
    if isinstance(tokenizer.model, PickyBpe):
        removed = counted(int(tokenizer.model.events.removed), "token")
        return Diagnosis(
            "residues",
            title,
            Level.FINE,
            f"PickyBPE removed {removed} in its training: little more than steps to others.",
            METHOD,
        )
    if not isinstance(tokenizer.model, BytePairEncoder | CharacterBpe):
        return Diagnosis(
            "residues",
            title,
            Level.FINE,
            "This model does not merge, so no entry is only a step to others.",
            METHOD,
        )
    from tokenarium.resources.samples_index import load_samples

    try:
        usage = usage_of(tokenizer, [sample.text() for sample in load_samples()])
        residue_uses = token_residues.residues(usage, SHARE, LEAST)
    except tc.UnsupportedError as error:
        return Diagnosis("residues", title, Level.UNKNOWN, str(error), METHOD)
    surface = tokenizer.vocabulary.surface
    entries = len(tokenizer.vocabulary)
    said = f"No entry is only a step to others in {usage.characters:,} characters of text."
    if residue_uses:
        noun = counted(len(residue_uses), "entry is", "entries are")
        said = (
            f"{noun} only steps to others in {usage.characters:,} characters of text:"
            f" {percent(len(residue_uses) / entries)} of the vocabulary."
        )
    return Diagnosis(
        "residues",
        title,
        Level.FINE,
        said,
        METHOD,
        len(residue_uses),
        tuple(
            Evidence(
                f"“{surface(residue.id)}” is made {residue.made:,} times and stays {residue.used:,} times; it is a part of"
                f" {counted(residue.parts_of, 'merge')}.",
                residue.id,
            )
            for residue in residue_uses[:SHOWN]
        ),
        tuple(residue.id for residue in residue_uses),
    )
