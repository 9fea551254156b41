"""What a tokenizer's file stores that another program would not expect: options of added tokens, truncation, patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import Written, written
from tokenarium.models.chat.conversation import SAMPLE, Message
from tokenarium.models.chat.template_files import templates_of
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level, worst
from tokenarium.models.diagnosis.diagnosis_files import model_fields
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.added_in_text import id_of
from tokenarium.models.text.piece import counted, percent, quoted
from tokenarium_core.formats import FIELDS
from tokenarium_core.formats.chat_part import folder_of
from tokenarium_core.models import Unigram
from tokenarium_core.vocabulary import NORMAL

Renderer = Callable[[ChatTemplate, Sequence[Message], bool], Written]
"""Writes messages by a template; see `tokenarium.models.chat.chat_tokens.written`."""

STATED: Final = "added tokens"
"""The group of the details that say that a file names another id for a token than it gets."""

REGEX: Final = re.compile(
    r"\\[sSdDwWbpP]|\(\?[:=!i<]|\[\^|\[[^\]]+\][+*?]|\.[+*]|\w\|\w.*[+*]|\{\d+,\d*\}"
)
"""What no literal text has, and regular expressions do: classes, groups that look around, quantifiers of classes."""

MISTRAL: Final = ("mistral", "mistral3", "voxtral", "ministral", "pixtral")
"""The types of models whose pattern transformers looks at (``_patch_mistral_regex``)."""

TEKKEN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern that it uses instead of the first one (transformers 5.23, ``tokenization_utils_tokenizers.py``)."""

LARGE = 100_000
"""Entries above which it looks at the pattern at all."""

FLAG: Final = "fix_mistral_regex"
LEAST_EQUAL: Final = 8
"""From this many pieces with the score 0 on, they are not those of one training, whose scores fall."""

_ADDED: Final = "Read from the added tokens of the tokenizer."
_WHOLE: Final = "Read from tokenizer.json."


def added_ids(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines whether added tokens have the ids that their file names."""
    tokens = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    cases = [
        Evidence(f"“{detail.name}”: {detail.value}", tokens.get(detail.name, -1))
        for detail in tokenizer.details
        if detail.group == STATED
    ]
    are = counted(len(cases), "added token has", "added tokens have")
    return Diagnosis(
        "added_ids",
        "The ids of added tokens",
        Level.WRONG_IDS if cases else Level.FINE,
        f"{are} a different id from the one that the file names."
        if cases
        else f"{counted(len(tokens), 'added token has', 'added tokens have')} the id that the file names.",
        f"{_ADDED} The library tokenizers gives a new token the next free id, whatever id the file names.",
        len(cases),
        tuple(cases[:SHOWN]),
        tuple(case.token for case in cases if case.token >= 0),
    )


def added_blanks(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which added tokens take the spaces next to them."""
    cases = []
    for token in tokenizer.added_tokens.tokens:
        sides = [side for on, side in ((token.lstrip, "before"), (token.rstrip, "after")) if on]
        if sides:
            note = f"takes all spaces {' and '.join(sides)} it: decoding does not give them back"
            cases.append(Evidence(note, token.id, token.content))
    return Diagnosis(
        "added_blanks",
        "Spaces next to added tokens",
        Level.SURPRISE if cases else Level.FINE,
        f"{counted(len(cases), 'added token takes', 'added tokens take')} the spaces next to it (lstrip, rstrip): a line"
        " end there is lost."
        if cases
        else "No added token takes the spaces next to it.",
        _ADDED,
        len(cases),
        tuple(cases[:SHOWN]),
        tuple(case.token for case in cases),
    )


def stored_cuts(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines whether a tokenizer.json stores a truncation or a padding."""
    fields = _stored(tokenizer)
    truncation, padding = fields.get("truncation"), fields.get("padding")
    cases, levels = [], []
    if isinstance(truncation, dict):
        most = truncation.get("max_length")
        direction = str(truncation.get("direction", "Right")).lower()
        cases.append(
            Evidence(f"truncation: a text ends at {most} tokens, cut off at the {direction}")
        )
        levels.append(Level.LOST_TEXT)
    if isinstance(padding, dict):
        strategy = padding.get("strategy")
        fixed = strategy.get("Fixed") if isinstance(strategy, dict) else None
        to = f"{fixed} tokens" if fixed is not None else "the longest of a batch"
        token = padding.get("pad_id")
        filled = f"padding: texts are filled up to {to} with “{padding.get('pad_token')}”"
        there = type(token) is int and 0 <= token < len(tokenizer.vocabulary)
        cases.append(Evidence(filled, token if there and type(token) is int else -1))
        levels.append(Level.SURPRISE)
    names = " and ".join(
        name for name, on in (("truncation", truncation), ("padding", padding)) if on
    )
    return Diagnosis(
        "stored_cuts",
        "Truncation and padding in the file",
        worst(levels) if fields else Level.UNKNOWN,
        f"The file stores {names}: the library tokenizers applies it to every text, transformers and Tokenarium do not."
        if cases
        else "The file stores neither."
        if fields
        else "Only a tokenizer.json can store them.",
        _WHOLE,
        len(cases),
        tuple(cases),
    )


def stored_patterns(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines whether the patterns of a tokenizer.json are those that were meant."""
    fields = _stored(tokenizer)
    cases, levels = [], []
    for stage in ("normalizer", "pre_tokenizer", "decoder"):
        for step in _steps(fields.get(stage)):
            pattern = step.get("pattern")
            literal = pattern.get("String") if isinstance(pattern, dict) else None
            if isinstance(literal, str) and REGEX.search(literal):
                note = (
                    f"{step.get('type')} in {stage} looks for {quoted(literal.encode('utf-8', 'replace'))} letter by"
                    " letter: it is written like a regular expression (“Regex”), but is stored as text (“String”)"
                )
                cases.append(Evidence(note))
                levels.append(Level.SURPRISE)
    mistral = mistral_fault(tokenizer, fields)
    if mistral is not None:
        cases.append(Evidence(mistral[0]))
        levels.append(mistral[1])
    return Diagnosis(
        "stored_patterns",
        "Patterns in the file",
        worst(levels) if fields else Level.UNKNOWN,
        f"{counted(len(cases), 'pattern is', 'patterns are')} probably not what was meant."
        if cases
        else "No pattern looks wrong."
        if fields
        else "Only a tokenizer.json stores patterns that can be wrong in this way.",
        f"{_WHOLE} The pattern of one of Mistral's models is compared with the one that transformers uses instead if"
        f" {FLAG} is set; literal texts are searched for signs of regular expressions.",
        len(cases),
        tuple(cases[:SHOWN]),
    )


def mistral_fault(tokenizer: tc.Tokenizer, fields: dict[str, Any]) -> tuple[str, Level] | None:
    """Returns what is wrong with the pattern of one of Mistral's models, as transformers sees it."""
    folder = folder_of(tokenizer)
    first = next(_steps(fields.get("pre_tokenizer")), None)
    pattern = first.get("pattern") if first is not None else None
    regex = pattern.get("Regex") if isinstance(pattern, dict) else None
    if folder is None or len(tokenizer.vocabulary) <= LARGE:
        return None
    if not isinstance(regex, str) or regex == TEKKEN:
        return None
    model = model_fields(folder / "config.json")
    settings = model_fields(folder / "tokenizer_config.json")
    made = str(model.get("transformers_version") or "0")
    # From transformers 5 on the files are right; a model of another type is left as it is.
    if not model or made.split(".", 1)[0] not in ("0", "1", "2", "3", "4"):
        return None
    if model.get("model_type", MISTRAL[0]) not in MISTRAL:
        return None
    if settings.get(FLAG) is True:
        return (
            f"{FLAG} is set: transformers splits by a different pattern from the one in tokenizer.json, which is used here",
            Level.WRONG_IDS,
        )
    return (
        f"{FLAG} is not set, and the pattern is not Mistral's own: transformers warns that its ids are wrong. That is so"
        " for the models of Mistral AI, not for one that was trained with this pattern",
        Level.SURPRISE,
    )


def text_starts(tokenizer: tc.Tokenizer, render: Renderer = written) -> Diagnosis:
    """Examines whether a chat gets the token for the beginning twice: by its template, and around every text."""
    method = (
        "The chat template of the tokenizer writes a sample, which is encoded with special tokens and with what the"
        " tokenizer puts around a text."
    )
    sentence, start = "", None
    try:
        templates = templates_of(tokenizer)
        sentence = "" if templates else "Neither the tokenizer nor its folder has a chat template."
        if templates:
            made, _ = sample_chat(templates[0], render)
            start = start_count(tokenizer, templates[0], made.chat.text)
            if start is None:
                sentence = "The model's files name no bos_token that the tokenizer has."
    except tc.TokenariumError as error:
        sentence = str(error)
    title = "The beginning of a chat"
    if start is None:
        return Diagnosis("text_starts", title, Level.UNKNOWN, sentence, method)
    token, count = start
    surface = tokenizer.vocabulary.surface(token)
    if count > 1:
        sentence = (
            f"A chat begins with “{surface}” {count} times: the template writes it, and the tokenizer puts it around every"
            " text. Encode what a template wrote without special tokens around it (add_special_tokens=False)."
        )
    else:
        times = "once" if count else "not"
        sentence = f"A chat has “{surface}” {times} at its beginning."
    cases = (Evidence(f"{count} times in the sample", token),) if count > 1 else ()
    level = Level.SURPRISE if count > 1 else Level.FINE
    return Diagnosis("text_starts", title, level, sentence, method, len(cases), cases)


def sample_chat(template: ChatTemplate, render: Renderer) -> tuple[Written, list[Message]]:
    """Returns what a template makes of the sample, and its messages; FormatError if it fails on all."""
    messages = list(SAMPLE)
    try:
        return render(template, messages, True), messages
    except tc.FormatError:  # some refuse a system message
        messages = messages[1:]
        return render(template, messages, True), messages


def start_count(
    tokenizer: tc.Tokenizer, template: ChatTemplate, text: str
) -> tuple[int, int] | None:
    """Returns the id of the token for the beginning, and how often an encoded chat has it; None without such a token."""
    content = template.tokens.get("bos_token")
    known = id_of(tokenizer, content) if content else -1
    if known < 0:
        return None
    return known, list(tokenizer.encode(text, "all", template=True).ids).count(known)


def zero_scores(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines whether many pieces of a vocabulary with scores have the score 0: those of a merge of two vocabularies."""
    title, id = "Scores of the pieces", "zero_scores"
    vocabulary = tokenizer.vocabulary
    method = "Pieces of several bytes with the score 0 are counted if others have lower scores, as training gives them."
    scores = np.asarray(vocabulary.scores, dtype=np.float64)
    kinds = array_of(vocabulary.kinds)
    if not len(scores) or not (scores[kinds == NORMAL] < 0).any():
        return Diagnosis(id, title, Level.UNKNOWN, "This vocabulary has no scores.", method)
    is_zero = (
        (kinds == NORMAL) & (scores == 0) & ~np.signbit(scores)
    )  # the first one trained has -0
    zero = [token for token in np.flatnonzero(is_zero).tolist() if len(vocabulary.piece(token)) > 1]
    if len(zero) < LEAST_EQUAL:
        sentence = "The scores are those of one training: no more than a few pieces have the best score, 0."
        return Diagnosis(id, title, Level.FINE, sentence, method)
    goes = (
        "wins over every path" if isinstance(tokenizer.model, Unigram) else "is merged before all"
    )
    share = percent(len(zero) / len(vocabulary))
    return Diagnosis(
        id,
        title,
        Level.SURPRISE,
        f"{len(zero):,} pieces ({share} of the vocabulary) have the score 0, the best there is: each {goes} that the"
        " training learned. They seem to come from a second vocabulary that was joined to the first, whose texts then get"
        " other ids too; that is right only for a model that was trained further so.",
        method,
        len(zero),
        tuple(
            Evidence(f"“{vocabulary.surface(token)}” has the score 0", token)
            for token in zero[:SHOWN]
        ),
        tuple(zero),
    )


def _stored(tokenizer: tc.Tokenizer) -> dict[str, Any]:
    """Returns the small fields of a tokenizer.json; none of another format, or of a class's own files."""
    stored = tokenizer.stored.get(FIELDS)
    fields = json.loads(stored) if stored is not None else {}
    return fields if isinstance(fields, dict) else {}


def _steps(stage: object) -> Iterator[dict[str, Any]]:
    """Yields the steps of a stage, which may be a sequence, in their order."""
    waiting = [stage]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            inner = next(
                (one[name] for name in ("normalizers", "pretokenizers", "decoders") if name in one),
                None,
            )
            if isinstance(inner, list):
                waiting += reversed(inner)
            else:
                yield one
