"""Sections and their blocks: well-formed HTML without scripts and style attributes, all text of the data escaped."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from typing import Any

import pytest

from calibrant._sections import (
    Axis,
    Callout,
    DataTable,
    Definitions,
    Figure,
    Layer,
    Paragraph,
    PngPicture,
    Preformatted,
    Section,
    Share,
    Shares,
    TableColumn,
    TreeDrawing,
    TreeNode,
    sections_html,
)

HOSTILE = '<script>alert(1)</script>" onload=\'x\' style="a" & </pre></svg>\u2028\x00'
VOID = {"img", "br"}

ROOT = TreeNode(0, -1, 0, 0.5, HOSTILE, (0.5, 0.5), split=HOSTILE, kind="test", n_hidden=2)
NODES = (ROOT, *(TreeNode(k, 0, 1, k - 1.0, HOSTILE, (0.25, 0.75), branch=HOSTILE, n_hidden=k) for k in (1, 2)))
BLOCKS = [
    Paragraph(HOSTILE, "note"),
    Callout("good", HOSTILE, HOSTILE, HOSTILE),
    Definitions(((HOSTILE, HOSTILE),)),
    Preformatted(HOSTILE, HOSTILE),
    PngPicture(b"png", HOSTILE, HOSTILE),
    DataTable(
        HOSTILE, (TableColumn(HOSTILE, "left", HOSTILE),), ((HOSTILE,),), (HOSTILE,), HOSTILE
    ),
    Figure(
        HOSTILE, HOSTILE, HOSTILE, HOSTILE, Axis(HOSTILE), Axis(HOSTILE),
        (Layer("points", {"x": [HOSTILE], "y": [1.0], HOSTILE: [HOSTILE]}, HOSTILE, HOSTILE),),
    ),
    Shares(HOSTILE, (Share(HOSTILE, 0.5, HOSTILE, True), Share(HOSTILE, 0.5, HOSTILE)), HOSTILE),
    TreeDrawing(HOSTILE, HOSTILE, (HOSTILE, HOSTILE), NODES, HOSTILE, 1),
    Section(HOSTILE, HOSTILE, (), HOSTILE, HOSTILE),
]  # fmt: skip


class Page(HTMLParser):
    """Tags, attributes and text of HTML whose elements are nested as they should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open += [tag] * (tag not in VOID)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_a_block_escapes_every_text_and_is_well_formed(block: Any) -> None:
    page = Page(block.html())
    assert "script" not in page.tags
    names = [name for name, _ in page.attributes]
    assert not {"style", "onload", "id"} & set(names)
    assert "<script>alert(1)</script>" in page.text + "".join(value or "" for _, value in page.attributes)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_a_block_is_frozen(block: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        block.anything = 1


def test_sections_are_one_piece_with_one_style_element() -> None:
    page = Page(sections_html([Section("a", "Title", (Paragraph("Text"),), term="Term"), Section("b", "B", ())]))
    assert page.tags.count("style") == 1
    assert page.tags.count("section") == 2
    assert "Title" in page.text
    assert "Term" in page.text


def drawing(**changes: Any) -> TreeDrawing:
    root = TreeNode(0, -1, 0, 0.5, "1,000 rows", (0.9, 0.1), split="age", kind="test")
    leaves = (
        TreeNode(1, 0, 1, 0.0, "600 rows", (0.99999, 0.00001), "≤ 30"),
        TreeNode(2, 0, 1, 1.0, "400 rows", (0.75, 0.25), "> 30"),
    )
    made = TreeDrawing("Tree", "A tree of 3 nodes", ("no", "yes"), (root, *leaves), "age <= 30: no", shown_class=1)
    return dataclasses.replace(made, **changes)


def test_a_tree_has_a_box_for_each_node_and_a_label_for_each_branch() -> None:
    page = Page(drawing().html())
    for words in ("age", "yes: 10.0% · 1,000 rows", "≤ 30", "yes: <0.1%", "yes: 25.0%", "400 rows", "age <= 30: no"):
        assert words in page.text
    assert ("role", "img") in page.attributes
    assert ("aria-label", "A tree of 3 nodes") in page.attributes


def test_by_default_the_boxes_of_a_tree_name_the_most_probable_class() -> None:
    assert "no: 75.0%" in Page(drawing(shown_class=None).html()).text


def test_a_bar_shows_the_probability_of_the_class_first_and_starts_where_the_others_do() -> None:
    bars = [line for line in drawing().html().split("<rect")[1:] if 'height="8"' in line]
    widths = [float(bar.split('width="')[1].split('"')[0]) for bar in bars]
    starts = [bar.split('x="')[1].split('"')[0] for bar in bars]
    assert widths[2] / (widths[2] + widths[3]) == pytest.approx(0.25)
    assert starts[0] == starts[2]


def test_many_classes_share_a_colour() -> None:
    nodes = (TreeNode(0, -1, 0, 0.0, "9 rows", (0.2, *[0.1] * 8)),)
    page = Page(drawing(classes=tuple("abcdefghi"), nodes=nodes, shown_class=None).html())
    assert "other classes" in page.text
    assert page.tags.count("li") == 6


def test_nodes_that_are_not_drawn_are_counted() -> None:
    page = Page(TreeDrawing("Tree", "A tree", ("a", "b"), NODES, "").html())
    assert "5 nodes are not drawn" in page.text
    assert "+ 2 nodes" in page.text


def test_long_and_wide_names_are_cut() -> None:
    root = dataclasses.replace(ROOT, split="x" * 80, n_hidden=0)
    wide = dataclasses.replace(root, split="数" * 30)
    leaves = drawing().nodes[1:]
    shown = [drawing(nodes=(node, *leaves)).html() for node in (root, wide)]
    assert ">" + "x" * 21 + "…<" in shown[0]
    assert ">" + "数" * 10 + "…<" in shown[1]


def test_the_root_of_a_tall_tree_stands_at_its_top_and_of_a_small_one_in_the_middle() -> None:
    assert root_of(3) == 8 + 2 * 48 // 2
    assert root_of(20) == 8


def root_of(n_leaves: int) -> int:
    """Return the upper end of the root's box, in pixels."""
    root = TreeNode(0, -1, 0, (n_leaves - 1) / 2, "rows", (0.5, 0.5), split="x", kind="test")
    leaves = (TreeNode(k + 1, 0, 1, float(k), "rows", (0.5, 0.5)) for k in range(n_leaves))
    box = drawing(nodes=(root, *leaves)).html().split("rx=")[0].rpartition("<rect")[2]
    return int(box.split(' y="')[1].split('"')[0]) + 2


def test_a_second_line_of_a_cell_is_small() -> None:
    table = DataTable("Areas", (TableColumn("model", "left"), TableColumn("area")), (("a", "0.8\n<0.7> to 0.9"),))
    assert "0.8<br><small>&lt;0.7&gt; to 0.9</small>" in table.html()


def test_what_follows_a_line_break_in_the_name_of_a_row_is_set_below_it() -> None:
    table = DataTable("Scores", (TableColumn("Score", "left"), TableColumn("Value")), (("Ranking\nAUC", "0.8"),))
    assert "Ranking<br><small>AUC</small></th>" in table.html()
