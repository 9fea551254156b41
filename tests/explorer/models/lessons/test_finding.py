"""What tokens do to people, by the words that they type: each opens a step that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.finding import StepIndex, words_of
from tokenarium.models.lessons.lesson import (
    AskedName,
    LessonHead,
    StepOutline,
    read_head,
    read_lesson,
    read_outline,
)

PHENOMENA = [
    ("a glitch token", ["SolidGoldMagikarp", "glitch token", "solid gold magikarp", "petertodd"], "11-glitch-tokens", "A name that became a token"),
    ("a survivor", ["davidjl", "glitch tokens in newer vocabularies"], "11-glitch-tokens", "A survivor"),
    ("spam in the corpus", ["天天中彩票", "spam", "lottery"], "11-glitch-tokens", "Spam in the corpus"),
    ("code in the corpus", [".DefaultCellStyle", "code in the corpus"], "08-code-and-json", "Names written a million times"),
    ("a word at the start", ["a word at the start", "same word different ids", "Egg"], "01-spaces-and-case", "One word, two entries"),
    ("a sum", ["a sum", "add numbers", "arithmetic"], "05-numbers-and-dates", "A sum"),
    ("digits from the left", ["digits from the left", "1234567", "three digits"], "05-numbers-and-dates", "Threes from the left"),
    ("a date", ["a date", "20250312"], "05-numbers-and-dates", "A date"),
    ("decimals", ["9.11 or 9.9", "is 9.11 bigger than 9.9", "9.11"], "05-numbers-and-dates", "Nine point eleven"),
    ("counting letters", ["why can't it spell", "count the r in strawberry", "counting letters", "strawberry"], "02-bytes-and-characters", "Count the letters"),
    ("backwards", ["backwards", "reverse a word", "esrever"], "02-bytes-and-characters", "Backwards"),
    ("a space at the end", ["trailing space", "blank at the end", "space at the end of a prompt"], "01-spaces-and-case", "A space at the end"),
    ("a prompt's boundary", ["prompt boundary", "token healing", "http://"], "10-boundaries-and-streams", "The colon"),
    ("indentation", ["indentation", "why does code cost so much"], "08-code-and-json", "Sixteen spaces"),
    ("a tab", ["tabs or spaces", "tab"], "08-code-and-json", "One tab"),
    ("line ends", ["line ends", "crlf", "windows line ends"], "07-unicode-traps", "The end of a line"),
    ("the end of a text in it", ["endoftext", "<|endoftext|>", "end of text in the text"], "09-special-tokens-and-chats", "Text or instruction"),
    ("a forged turn", ["a forged turn", "<start_of_turn>", "prompt injection"], "09-special-tokens-and-chats", "Tokens that plain text can produce"),
    ("data formats", ["YAML or JSON", "json or yaml", "minified"], "08-code-and-json", "The same data"),
    ("the tax", ["the tax", "Burmese", "why do some languages cost more"], "06-languages", "The tax"),
    ("other languages", ["why is it worse in Japanese", "worse in japanese"], "06-languages", "One sentence, many prices"),
    ("a tax on Latin script", ["Yoruba", "tax on latin script"], "06-languages", "A tax on Latin script, too"),
    ("characters cut", ["characters cut", "안녕하세요", "korean"], "02-bytes-and-characters", "A token can end inside a character"),
    ("an emoji of many", ["emoji", "family emoji", "why are emoji expensive"], "02-bytes-and-characters", "One picture, many tokens"),
    ("Zalgo", ["zalgo", "stacked accents"], "07-unicode-traps", "Stacked accents"),
    ("two ways to write é", ["the same é", "NFC NFD"], "02-bytes-and-characters", "The same é"),
    ("styled letters", ["styled letters", "𝐇𝐞𝐥𝐥𝐨", "bold letters"], "07-unicode-traps", "Letters in disguise"),
    ("a different kind of space", ["invisible space", "no-break space", "nbsp"], "07-unicode-traps", "A different kind of space"),
    ("an apostrophe", ["apostrophe", "THEY'RE"], "03-pre-tokens", "The apostrophe"),
    ("right to left", ["right to left", "hebrew", "arabic"], "06-languages", "Right to left"),
    ("never alone", ["never alone", "unreachable token"], "11-glitch-tokens", "Never alone"),
    ("many spellings", ["many spellings", "ways to spell"], "10-boundaries-and-streams", "Many spellings"),
    ("an unstable prefix", ["unstable prefix", "strawberr"], "10-boundaries-and-streams", "An unstable end"),
    ("a stop string in a token", ["stop string inside a token", "stop string", "stop sequence"], "10-boundaries-and-streams", "Where to stop"),
    ("a sign that is lost", ["▁ lost", "why does ▁ come back as a space"], "07-unicode-traps", "The symbol for a space"),
    ("clean-up", ["clean-up eats a space", "clean_up_tokenization_spaces"], "07-unicode-traps", "Clean-up"),
    ("a lossy one", ["lossy", "t5 newline", "unknown token"], "07-unicode-traps", "Unknown"),
    ("unknown, and folded", ["unknown and folded", "emoji in bert"], "15-unigram-and-wordpiece", "Unknown"),
    ("half a character", ["half a character in a stream", "�", "歪", "replacement character"], "10-boundaries-and-streams", "Half a character"),
    ("the wrong pattern", ["the wrong pattern", "llama 4", "wrong token counts after conversion"], "03-pre-tokens", "The wrong pattern"),
    ("a slow one", ["quadratic", "why does it hang on aaaa"], "10-boundaries-and-streams", "Very long words"),
    ("sampling", ["sampling", "subword regularization", "n-best"], "15-unigram-and-wordpiece", "The second best, and sampling"),
]  # fmt: skip


PEOPLE = [
    ("why do LLMs fail at counting letters", ["Count the letters"]),
    ("why are LLMs bad at math", ["A sum"]),
    ("trailing whitespace", ["A space at the end"]),
    ("how many rs in strawberry", ["Count the letters"]),
    ("why can't chatgpt count the letters in a word", ["Count the letters"]),
    ("why do LLMs struggle with spelling", ["Count the letters"]),
    ("why is ChatGPT so bad at arithmetic", ["A sum"]),
    ("LLM gets simple additions wrong", ["A sum"]),
    ("why does the model think 9.11 is bigger than 9.9", ["Nine point eleven"]),
    ("comparing decimals", ["Nine point eleven"]),
    ("why are dates tokenized weirdly", ["A date"]),
    ("phone numbers split into chunks of three", ["Threes from the left"]),
    ("why can't chatgpt reverse a string", ["Backwards"]),
    ("writing words backward", ["Backwards"]),
    ("why is Hindi more expensive than English", ["One sentence, many prices", "The tax", "Who pays"]),
    ("why does GPT cost more in my language", ["The tax", "Who pays", "One sentence, many prices"]),
    ("low resource languages cost more tokens", ["The tax", "Who pays"]),
    ("which tokenizer is best for German", ["It depends on the tokenizer"]),
    ("is arabic tokenized from right to left", ["Right to left"]),
    ("what is a token", ["The space goes with the word"]),
    ("are tokens the same as words", ["The space goes with the word"]),
    ("does capitalization change the tokens", ["Capitals are different letters"]),
    ("uppercase text uses more tokens", ["Capitals are different letters"]),
    ("same word different token ids", ["One word, two entries"]),
    ("prompt ending with a space gives bad completions", ["A space at the end"]),
    ("what does Ġ mean in GPT-2 tokens", ["The space goes with the word"]),
    ("weird underscore in sentencepiece", ["The symbol for a space", "▁ is a space"]),
    ("emojis use too many tokens", ["One picture, many tokens"]),
    ("what is byte level BPE", ["A token can end inside a character", "Start with bytes", "Falling back to bytes"]),
    ("replacement characters in streaming output", ["Half a character"]),
    ("garbled output when streaming", ["Half a character"]),
    ("how to reduce the number of tokens in my prompt", ["The same data"]),
    ("is JSON or YAML cheaper for LLMs", ["The same data"]),
    ("python indentation wastes tokens", ["Sixteen spaces"]),
    ("tabs vs spaces token count", ["One tab"]),
    ("llama.cpp gives different tokens than huggingface", ["The wrong pattern"]),
    ("GGUF conversion wrong tokenizer", ["The wrong pattern"]),
    ("prompt injection using special tokens", ["Tokens that plain text can produce", "Who can write it"]),
    ("how do chat templates work", ["A chat is one text"]),
    ("double BOS token warning", ["The ends of a text"]),
    ("stop sequences not working", ["Where to stop"]),
    ("why did generation not stop at my stop string", ["Where to stop"]),
    ("what are glitch tokens", ["A name that became a token"]),
    ("solid gold magikarp", ["A name that became a token"]),
    ("how big should my vocabulary be", ["The size", "The size, in parameters", "The size, in tokens"]),
    ("choosing a vocab size", ["The size", "The size, in parameters", "The size, in tokens"]),
    ("adding new tokens to a pretrained model", ["Two more tokens", "A word from your field"]),
    ("resize token embeddings", ["Two more tokens"]),
    ("training a tokenizer from scratch", ["Your turn", "The first merge", "Start with bytes"]),
    ("how does byte pair encoding work", ["Start with bytes"]),
    ("BPE vs unigram", ["BPE or Unigram", "Three ways to choose"]),
    ("how does BERT tokenize words", ["The longest match"]),
    ("why is my surname split into pieces", ["Why not one token?"]),
    ("tokenizer hangs on long repeated characters", ["Very long words"]),
    ("zalgo text tokens", ["Stacked accents"]),
    ("unicode bold letters", ["Letters in disguise"]),
    ("windows newlines", ["The end of a line"]),
    ("non breaking spaces", ["A different kind of space"]),
    ("decoding does not give back the original text", ["What is folded is lost", "Unknown", "Clean-up", "The symbol for a space"]),
    ("token healing explained", ["The colon"]),
    ("removing unused tokens from a vocabulary", ["Fewer entries"]),
    ("Chinese spam tokens in GPT-4o", ["Spam in the corpus"]),
    ("how are subword tokenizers trained", ["The first merge", "Your turn"]),
    ("what is the difference between wordpiece and bpe", ["BPE or Unigram", "How WordPiece learns", "Three ways to choose"]),
]  # fmt: skip
"""What people ask, in their own words, and the titles of steps of which one has to be among the first three."""


@pytest.fixture(scope="module")
def index() -> StepIndex:
    return StepIndex(
        {path.stem: (read_head(path), read_outline(path)[1]) for path in lesson_paths()}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "lesson", "title"),
    [(typed, lesson, title) for _, words, lesson, title in PHENOMENA for typed in words],
    ids=[typed for _, words, _, _ in PHENOMENA for typed in words],
)
def test_what_people_type_opens_the_step_that_shows_it(
    index: StepIndex, typed: str, lesson: str, title: str
) -> None:
    found = index.find(typed)
    steps = {path.stem: read_outline(path)[1] for path in lesson_paths()}
    places = [(one.lesson, steps[one.lesson][one.step].title) for one in found]
    assert places[:1] == [(lesson, title)], places[:4]


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "titles"), PEOPLE, ids=[typed for typed, _ in PEOPLE])
def test_what_people_ask_is_among_the_first_three(
    index: StepIndex, typed: str, titles: list[str]
) -> None:
    steps = {path.stem: read_outline(path)[1] for path in lesson_paths()}
    found = index.find(typed, 3)
    assert {steps[one.lesson][one.step].title for one in found} & set(titles), found


def head(title: str, *asked: AskedName) -> LessonHead:
    return LessonHead(title, title, 5, "first steps", (), (), asked, 0)


def plain(title: str, prose: str = "") -> StepOutline:
    return StepOutline(title, prose, ())


def test_a_question_comes_before_a_title_and_a_title_before_prose() -> None:
    lessons = {
        "a": (head("A"), [plain("First", "Zebras, zebras and zebras.")]),
        "b": (head("B"), [plain("Zebras")]),
        "c": (head("C", AskedName("What is a zebra?")), [plain("Stripes")]),
    }
    found = StepIndex(lessons).find("zebra")
    assert [(one.lesson, one.title, one.asked) for one in found] == [
        ("c", "What is a zebra?", True),
        ("b", "Zebras", False),
        ("a", "First", False),
    ]


def test_a_question_with_the_telling_word_comes_before_a_title_with_all_words() -> None:
    lessons = {
        "title": (head("B"), [plain("Zebra crossing")]),
        "asked": (head("C", AskedName("What is a zebra?")), [plain("Stripes")]),
        "others": (
            head("Others"),
            [*2 * [plain("Roads", "A crossing.")], *8 * [plain("Rivers", "A ford.")]],
        ),
    }
    found = StepIndex(lessons).find("zebra crossing")
    assert [one.lesson for one in found[:2]] == ["asked", "title"]


@pytest.mark.parametrize(
    ("typed", "has"),
    [
        ("stripe", "stripes"),
        ("striping", "stripes"),
        ("stri", "stripes"),
        ("stop sequence", "A stop string ends a text"),
        ("regex", "the pattern"),
        ("byte pair encoding", "BPE"),
        ("maths", "arithmetic"),
        ("nonbreaking", "non-breaking"),
        ("non-breaking", "non breaking"),
        ("what is a stripe in the quagga of yore", "stripes"),
    ],
)
def test_words_match_by_their_stems_beginnings_and_other_names(typed: str, has: str) -> None:
    lessons = {
        "it": (head("It"), [plain("Some", has)]),
        "other": (head("Other"), [plain("Others", "Other words are here, too.")]),
    }
    assert [one.lesson for one in StepIndex(lessons).find(typed)] == ["it"]


def test_the_more_of_what_was_typed_a_step_has_the_earlier_it_comes() -> None:
    lessons = {
        "one": (head("One"), [plain("Some", "apples")]),
        "both": (head("Both"), [plain("Some", "apples and pears")]),
        "others": (head("Others"), 4 * [plain("Others", "plums")]),
    }
    assert [one.lesson for one in StepIndex(lessons).find("apples pears")] == ["both", "one"]


def test_a_question_may_have_bars_in_it(tmp_path: Path) -> None:
    path = tmp_path / "it.md"
    path.write_text(
        '+++\ntitle = "It"\nminutes = 1\nlearns = ["It."]\ntokenizers = ["shipped:unigram-8k"]\n+++\n\n## A step\n\n'
        "```asked\nWhat is <|endoftext|>? | the end\nAnd what is this?|that\nNothing else? |\n```\n\nProse.\n"
    )
    assert [(one.question, one.also) for one in read_head(path).asked] == [
        ("What is <|endoftext|>?", "the end"),
        ("And what is this?", "that"),
        ("Nothing else?", ""),
    ]


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_each_question_finds_its_own_step(index: StepIndex, path: object) -> None:
    for one in read_head(path).asked:  # type: ignore[arg-type]
        found = index.find(one.question)
        assert (path.stem, one.step) in [(it.lesson, it.step) for it in found[:2]], one  # type: ignore[attr-defined]


def test_no_question_is_in_two_lessons() -> None:
    asked = [one.question for path in lesson_paths() for one in read_lesson(path).asked]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("typed", ["", "   ", "?!", "xyzzy plugh", "qqqq"])
def test_what_is_nowhere_finds_nothing(index: StepIndex, typed: str) -> None:
    assert index.find(typed) == []


def test_words_are_without_the_signs_around_them() -> None:
    assert words_of("“Why?” (it's 3.5!)") == ["why", "it's", "3.5"]
