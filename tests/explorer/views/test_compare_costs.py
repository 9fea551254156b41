"""The costs on the page Overview of Compare: what the text costs with each model that has a price."""

from __future__ import annotations

import csv
import io

import pytest
from narrowed import there
from pytestqt.qtbot import QtBot
from windows import shown_in, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.compare.prices import NO_PRICES, Price, PriceList
from tokenarium.views.compare_costs import NONE_OF_THESE, CostsPart
from tokenarium.views.compare_overview import OverviewPage

SHIPPED, OTHER = "shipped:tokenarium-8k", "shipped:unigram-8k"
TEXT = "What a text costs depends on how many tokens it has."


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> OverviewPage:
    window.session.edits.turn_on(OTHER, True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    window.session.set_text(TEXT)
    window.compare_commands.show_page("overview")
    page = shown_in(window, OverviewPage)
    qtbot.waitUntil(lambda: not page.busy)
    return page


def cells(part: CostsPart) -> list[list[str]]:
    return [
        [there(part.table.topLevelItem(row)).text(at) for at in range(part.table.columnCount())]
        for row in range(part.table.topLevelItemCount())
    ]


def test_without_prices_a_sentence_says_how_to_enter_them(
    window: MainWindow, page: OverviewPage
) -> None:
    assert page.costs.sentence.text() == NO_PRICES
    assert not page.costs.table.isVisible()
    assert page.costs.as_csv() == page.costs.python() == ""
    page.costs.prices.click()
    assert there(window.lazy.pricing.dialog).isVisible()
    window.session.figures.set_prices(PriceList((Price("m", "named:gone", 1.0),)))
    assert page.costs.sentence.text() == NONE_OF_THESE


def test_a_new_price_is_for_the_tokenizer_in_front(window: MainWindow, page: OverviewPage) -> None:
    window.session.set_current(OTHER)
    page.costs.prices.click()
    (row,) = there(window.lazy.pricing.dialog).rows
    assert row.tokenizer.currentData() == OTHER


def test_each_model_has_a_row_the_cheapest_first(window: MainWindow, page: OverviewPage) -> None:
    tokens = {row.key: there(row.tally).tokens for row in page.figures.model.rows}
    names = {item.key: item.name for item in window.session.chosen()}
    prices = (
        Price("large", SHIPPED, 5.0, 20.0),
        Price("small", SHIPPED, 0.5),
        Price("other", OTHER, 1.0, 2.0),
    )
    window.session.figures.set_prices(PriceList(prices, "$"))
    part = page.costs
    assert part.sentence.text() == ""
    assert [row[0] for row in cells(part)] == ["small", "other", "large"]
    assert cells(part)[0][-1] == "–"
    assert cells(part)[2][3:5] == ["$5.00", "$20.00"]
    heads, *rows = csv.reader(io.StringIO(part.as_csv()))
    assert heads == ["model", "tokenizer", "tokens", "price_in", "price_out", "cost_in", "cost_out", "currency"]  # fmt: skip
    for row, price in zip(rows, (prices[1], prices[2], prices[0]), strict=True):
        count = tokens[price.tokenizer]
        assert row[:3] == [price.model, names[price.tokenizer], str(count)]
        assert float(row[5]) == pytest.approx(count * there(price.input) / 1e6)
        assert row[6] == ("" if price.output is None else f"{count * price.output / 1e6:.12g}")
        assert row[7] == "$"


def test_the_program_has_the_same_costs(window: MainWindow, page: OverviewPage) -> None:
    window.session.figures.set_prices(PriceList((Price("large", SHIPPED, 5.0, 20.0),), "$"))
    namespace: dict[str, list[dict[str, object]]] = {}
    exec(page.costs.python(), namespace)
    [row] = namespace["rows"]
    _, [model, _, tokens, *_, as_input, as_output, _] = csv.reader(io.StringIO(page.costs.as_csv()))
    assert (row["model"], str(row["tokens"])) == (model, tokens)
    assert (row["cost_in"], row["cost_out"]) == (
        pytest.approx(float(as_input)),
        pytest.approx(float(as_output)),
    )


def test_the_costs_are_exported_while_they_have_the_focus(
    window: MainWindow, page: OverviewPage
) -> None:
    window.session.figures.set_prices(PriceList((Price("large", SHIPPED, 5.0),)))
    assert page.as_csv() == page.figures.as_csv()
    page.costs.export.setFocus()
    assert page.as_csv() == page.costs.as_csv()
    trigger(window, "copy_comparison")
