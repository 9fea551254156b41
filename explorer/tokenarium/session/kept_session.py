"""Saves the session, and restores it at the next start."""

from __future__ import annotations

from contextlib import suppress

from tokenarium.models.compare.prices import MOST_PRICE, kept_prices
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.models.tokenizers.tokenizer_identity import identity_lines, kept_identities
from tokenarium.models.tokenizers.tokenizer_sets import kept_sets, set_lines
from tokenarium.session import catalogue, settings
from tokenarium.session.figures import MOST_TOKENS
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings

SAFE = (
    "This is a safe start. Your settings, tokenizers and last session were not read, and nothing of this window"
    " is kept."
)

OFF = "It is off, since Tokenarium ended unexpectedly while it was being opened or first used. Turn it on to try again."


def restore(session: Session, store: Settings) -> str:
    """Restores what was on and shown last time, except for tokenizers with which the program ended unexpectedly.

    Returns a sentence to show if something could not be restored, or "".
    """
    session.downloads_allowed = store.get(settings.DOWNLOADS)
    session.set_show_whitespace(store.get(settings.SHOW_WHITESPACE))
    match store.get(settings.ANNOTATIONS):
        case ("ids" | "bytes") as annotations:
            session.set_annotations(annotations)
    session.set_decimal(store.get(settings.DECIMAL))
    session.set_ends(store.get(settings.ADD_BOS), store.get(settings.ADD_EOS))
    session.set_special("all" if store.get(settings.RECOGNISE_SPECIAL) else "none")
    session.set_patterns(store.get(settings.CUTS))
    session.set_own_pattern(store.get(settings.OWN_PATTERN))
    session.figures.show_columns(store.get(settings.COMPARED_COLUMNS))
    session.figures.leave_out(store.get(settings.LANGUAGES_OUT))
    session.figures.set_cost(
        int(number(store.get(settings.CONTEXT_TOKENS))),
        min(number(store.get(settings.PRICE_PER_MILLION)), MOST_PRICE),
    )
    session.figures.set_prices(
        kept_prices(store.get(settings.PRICES), store.get(settings.CURRENCY))
    )
    session.sets.restore(kept_sets(store.get(settings.TOKENIZER_SETS)))
    session.library.identities.update(kept_identities(store.get(settings.IDENTITIES)))
    for line in store.get(settings.WEIGHTS):
        path, tab, key = line.rpartition("\t")
        if tab:
            session.weights[key] = path
    on = ["shipped:tokenarium-8k"] if store.safe else store.get(settings.TOKENIZERS_ON)
    left = {} if store.safe else session.trials.left()
    blamed = {key for keys in left.values() for key in keys} & set(on)
    items = catalogue.offered(
        [key for key in on if key not in blamed],
        store.get(settings.TOKENIZER_ORDER),
        store.get(settings.TOKENIZER_FILES),
        store.get(settings.TRAINED),
    )
    if blamed:
        store.set(settings.TOKENIZERS_ON, [key for key in on if key not in blamed])
    if not blamed or store.write():  # the next start needs it if this one crashes
        for note in left:
            with suppress(OSError):
                note.unlink()
    session.fill_library(items)
    names = []
    for item in items:
        if item.key in blamed:
            session.library.set_state(item, item.state, OFF)
            names.append(item.name)
    if store.safe:
        return SAFE
    if not names:
        return ""
    one = len(names) == 1
    return (
        f"Tokenarium ended unexpectedly while {' and '.join(names)} {'was' if one else 'were'} being opened or first"
        f" used, so {'it is' if one else 'they are'} off now. Turn {'it' if one else 'them'} on to try again."
    )


def number(text: str) -> float:
    """Returns a number that was stored as a text, within the limits of its field; 0 for anything else."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if 0 <= found <= MOST_TOKENS else 0.0


def keep(session: Session, store: Settings) -> None:
    """Saves what the next run restores."""
    store.set(settings.SHOW_WHITESPACE, session.show_whitespace)
    store.set(settings.ANNOTATIONS, session.annotations)
    store.set(settings.DECIMAL, session.decimal)
    store.set(settings.ADD_BOS, session.add_bos)
    store.set(settings.ADD_EOS, session.add_eos)
    store.set(settings.RECOGNISE_SPECIAL, session.special == "all")
    store.set(settings.CUTS, list(session.patterns))
    store.set(settings.OWN_PATTERN, session.own_pattern)
    store.set(settings.COMPARED_COLUMNS, sorted(session.figures.columns))
    store.set(settings.LANGUAGES_OUT, sorted(session.figures.languages_out))
    store.set(settings.CONTEXT_TOKENS, str(session.figures.context_tokens))
    store.set(settings.PRICE_PER_MILLION, f"{session.figures.price_per_million:g}")
    store.set(settings.PRICES, session.figures.price_list.lines())
    store.set(settings.CURRENCY, session.figures.price_list.currency)
    store.set(settings.TOKENIZER_SETS, set_lines(session.sets.sets))
    store.set(settings.TOKENIZERS_ON, [item.key for item in session.library if item.on])
    store.set(settings.IDENTITIES, identity_lines(session.library.identities))
    store.set(settings.WEIGHTS, [f"{path}\t{key}" for key, path in session.weights.items()])
    store.set(settings.TOKENIZER_ORDER, [item.key for item in session.library])
    files = session.library.group(LibraryGroup.FILES)
    store.set(settings.TOKENIZER_FILES, [catalogue.file_line(item) for item in files])
    trained = session.library.group(LibraryGroup.TRAINED)
    store.set(settings.TRAINED, [item.key.partition(":")[2] for item in trained])
