"""What Hugging Face's JavaScript does differently with added tokens, models and post-processors: see `javascript_reader`."""

from __future__ import annotations

from tokenarium_core.comparing.readers.json_steps import (
    POST_PROCESSOR,
    PRE_TOKENIZER,
    Step,
    drop_flags,
    keep_words_whole,
    leaves_unknowns,
    missing_bytes,
    model_type,
    steps_of,
)
from tokenarium_core.comparing.readers.reader import ReaderDraft


def single_word(draft: ReaderDraft) -> bool:
    """Makes added tokens match inside words too."""
    return drop_flags(draft.json(), "single_word")


def word_level(draft: ReaderDraft) -> bool:
    """Takes the unknown token of the settings."""
    fields = draft.json()
    if model_type(fields) != "WordLevel":
        return False
    unknown = draft.file.config().get("unk_token") if draft.file.is_folder else None
    if not isinstance(unknown, str) or unknown not in fields["model"]["vocab"]:
        draft.unknown = "Without that, a word that is no entry has undefined in place of an id."
        return True
    if unknown == fields["model"].get("unk_token"):
        return False
    fields["model"]["unk_token"] = unknown
    return True


def prefix(draft: ReaderDraft) -> bool:
    """Makes a BPE model without the prefix inside words."""
    return keep_words_whole(draft.json())


def joined_unknowns(draft: ReaderDraft) -> bool:
    """Says that nothing is known where unknown characters of two pre-tokens become one token."""
    fields = draft.json()
    model = fields["model"]
    kind = model_type(fields)
    splits = {step["type"] for step in steps_of(fields, PRE_TOKENIZER)} - {"Metaspace"}
    if kind == "BPE":
        if not missing_bytes(fields) or model.get("unk_token") is None:
            return False
        if not model.get("fuse_unk") or not splits:
            return False
    elif kind != "Unigram" or not splits:
        return False
    elif splits == {"WhitespaceSplit"} and any(map(_marks_each, steps_of(fields, PRE_TOKENIZER))):
        return False  # a mark is between them
    draft.unknown = "That cannot be run here."
    return True


def _marks_each(step: Step) -> bool:
    return bool(step["type"] == "Metaspace" and step.get("prepend_scheme", "always") == "always")


def left_unknowns(draft: ReaderDraft) -> bool:
    """Says that nothing is known where characters without an entry stay between others."""
    if not leaves_unknowns(draft.json()):
        return False
    draft.unknown = "That cannot be run here."
    return True


def unigram_bytes(draft: ReaderDraft) -> bool:
    """Makes a Unigram model without byte fallback."""
    fields = draft.json()
    if model_type(fields) != "Unigram" or not fields["model"].get("byte_fallback"):
        return False
    fields["model"]["byte_fallback"] = False
    return True


def template(draft: ReaderDraft) -> bool:
    """Gives special tokens of a template the ids of the entries that have their names."""
    fields = draft.json()
    vocab = fields["model"]["vocab"]
    ids: dict[str, int] = (
        {entry[0]: id for id, entry in enumerate(vocab)} if isinstance(vocab, list) else dict(vocab)
    )
    for token in fields.get("added_tokens") or []:
        ids[token["content"]] = int(token["id"])
    found = False
    for step in steps_of(fields, POST_PROCESSOR):
        for special in (step.get("special_tokens") or {}).values():
            own = ids.get(special["id"])
            if special["ids"] == [own]:
                continue
            found = True
            if own is None:
                draft.unknown = (
                    f"{special['id']!r} is no entry, and undefined stands in place of its ids."
                )
                return True
            special["ids"], special["tokens"] = [own], [special["id"]]
    return found
