"""The page of a report: safe with any text, complete in itself, and marked up for everybody."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from calibrant._sections import (
    Axis,
    Callout,
    DataTable,
    Definitions,
    Figure,
    Layer,
    Paragraph,
    Preformatted,
    Section,
    TableColumn,
)
from calibrant.report._page.render import chart_bundle, embed_json, page_html, read_source
from calibrant.report._page.theme import chart_config, theme_css, theme_properties

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'`--><!--",
    "\u2028\u2029\x00\ud800",
    "__proto__",
    "1",
)


class Page(HTMLParser):
    """Elements, attributes and the text of scripts of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.sources, self.open = [], [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.attributes += attrs
        self.open = tag if tag in ("script", "style") else None
        if self.open:
            self.sources.append([tag, dict(attrs), ""])

    def handle_data(self, data):
        if self.open:
            self.sources[-1][2] += data

    def handle_endtag(self, tag):  # noqa: ARG002
        self.open = None

    def find(self, tag, **attributes):
        return [found for name, found in self.tags if name == tag and attributes.items() <= found.items()]

    def texts(self, tag, kind=None):
        return [text for name, attributes, text in self.sources if name == tag and attributes.get("type") == kind]


def sections(text, page=""):
    table = DataTable(text, (TableColumn(text, "left", text),), ((text,),), (text,), text)
    blocks = (
        Paragraph(text),
        Callout("bad", text, text, text),
        table,
        Definitions(((text, text),)),
        Preformatted(text),
    )
    return (Section("answer", text, blocks, text), Section("more", text, blocks, text, page))


@pytest.fixture(scope="module")
def hostile():
    made = [section for text in HOSTILE for section in sections(text, page=text)]
    return page_html(HOSTILE[0], made, HOSTILE)


def test_hostile_text_adds_no_element_and_no_handler(hostile):
    tame = Page(
        page_html(
            "t", [s for i in range(6) for s in sections(f"name {i}", f"page {i}")], [f"name {i}" for i in range(6)]
        )
    )
    assert [tag for tag, _ in Page(hostile).tags] == [tag for tag, _ in tame.tags]
    assert not [name for name, _ in Page(hostile).attributes if name.startswith("on") or name == "style"]
    hostile.encode()


def test_the_policy_allows_the_scripts_and_the_style_of_the_page_and_nothing_else(hostile):
    page = Page(hostile)
    policy = dict(page.find("meta", **{"http-equiv": "Content-Security-Policy"})[0])["content"]
    hashes = [
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for text in page.texts("script") + page.texts("style")
    ]
    assert re.findall(r"'sha256-[^']+'", policy) == hashes
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_embedded_json_reads_back_and_holds_no_markup():
    value = {"__proto__": list(HOSTILE), "numbers": [1.5, None]}
    assert json.loads(embed_json(value)) == value
    assert not set("<>&\u2028\u2029") & set(embed_json(value))
    assert embed_json([float("nan"), float("inf"), 1]) == "[null,null,1]"


def test_models_are_marked_by_their_index(hostile):
    page = Page(hostile)
    data = json.loads(page.texts("script", "application/json")[0])
    assert [model["name"] for model in data["models"]] == list(HOSTILE)
    assert len(page.find("tr", **{"data-model": "4"})) == 2
    assert len(page.find("button", **{"data-model-switch": "5", "aria-pressed": "true"})) == 1
    assert "data-model-name" not in hostile


def test_landmarks_language_and_skip_link():
    page = Page(page_html("Churn", sections("a", page="b"), ["a"]))
    assert page.find("html", lang="en")
    assert all(len(page.find(tag)) == 1 for tag in ("header", "main", "footer", "title", "h1"))
    assert page.find("nav", **{"aria-label": "Sections"})
    assert page.find("nav", **{"aria-label": "Classes"})
    assert page.find("a", href="#content")
    assert page.find("main", id="content")
    assert not page.find("section", **{"aria-label": "Models"})  # one model needs no switch


def test_the_id_of_a_section_does_not_depend_on_captions():
    table = DataTable("tree", (TableColumn("model", "left"),), (("a",),))
    html = page_html("Report", [Section("scores", "Scores", (table,)), Section("tree", "The tree", ())], ())
    assert {"scores", "tree"} <= {dict(attributes).get("id") for _, attributes in Page(html).tags}


def test_ids_and_labels_of_regions_are_unique(hostile):
    page = Page(hostile)
    ids = [value for name, value in page.attributes if name == "id"]
    labels = [found["aria-label"] for found in page.find("div", role="region")]
    assert len(set(labels)) == len(labels)
    assert len(set(ids)) == len(ids)


def test_a_table_with_an_empty_corner_and_the_name_of_a_landmark_has_names_of_its_own():
    table = DataTable("Models", (TableColumn("", "left"), TableColumn("area")), (("a", "0.8"),))
    page = Page(page_html("t", [Section("theme", "Models", (table,))], ["a", "b"]))
    assert len(page.find("th", scope="col")) == 1
    assert page.find("div", role="region", **{"aria-label": "Models (2)"})
    assert page.find("section", id="theme-2")


def test_a_page_without_charts_is_small_and_holds_no_bundle(hostile):
    assert len(hostile) < 100_000
    assert "vegaEmbed=" not in hostile


def figure_section(page, *models):
    layers = tuple(Layer("line", {"x": [0, 1], "y": [0, 1]}, "</script>", model) for model in models)
    figure = Figure("roc", "Found", "<b>", "</script>", Axis("x"), Axis("y"), layers)
    return Section("roc", "Is it ranked?", (figure, figure, Paragraph("between"), figure), page=page)


@pytest.fixture(scope="module")
def charts():
    return page_html("t", [figure_section("", "a", "b"), figure_section("class 1", "a", "b")], ["a", "b"])


def test_a_page_with_charts_holds_the_bundle_once_and_little_else(charts):
    assert charts.count("window.vegaEmbed=") == 1
    assert len(charts) < 1_050_000


def test_every_figure_has_its_place_its_payload_its_numbers_and_its_buttons(charts):
    page = Page(charts)
    payloads = json.loads(page.texts("script", "application/json")[0])["figures"]
    assert [found["id"] for found in page.find("figure")] == [payload["id"] for payload in payloads]
    assert len({payload["id"] for payload in payloads}) == 6
    assert len(page.find("div", role="img", **{"aria-label": "</script>"})) == 6
    assert [len(page.find("button", **{"data-save": kind})) for kind in ("svg", "csv")] == [6, 6]
    assert len(page.find("details")) == 6


def test_figures_that_follow_each_other_stand_side_by_side(charts):
    assert len(Page(charts).find("div", **{"class": "figures"})) == 4


def test_colours_of_charts_are_custom_properties_with_a_value_in_each_theme():
    config, properties = chart_config()
    used = set(re.findall(r"var\(--([\w-]+)\)", json.dumps(config)))
    assert used == set(properties["light"]) == set(properties["dark"])
    assert "#" not in json.dumps(config)


def luminance(color):
    shares = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_borders_stand_out_in_both_themes(theme):
    colors = theme_properties(theme, [])
    for kind in ("good", "bad", "unsure", "info", "warning"):
        ground = colors[f"{kind}-ground"]
        assert min(contrast(colors[kind], ground), contrast(colors["ink"], ground)) >= 4.5
        assert contrast(colors[kind], colors["background"]) >= 4.5  # the mark: a sign in the colour of the page
    for ground in (colors["background"], colors["surface"]):
        assert min(contrast(colors[name], ground) for name in ("ink", "muted", "accent")) >= 4.5
        assert contrast(colors["control"], ground) >= 3


def test_every_custom_property_that_is_used_is_defined():
    sheets = [read_source(f"{name}.css") for name in ("page", "analyser", "print")]
    rules = "".join([theme_css(theme_properties("light", []), {}, 1), *sheets])
    assert set(re.findall(r"var\((--[\w-]+)\)", rules)) - {"--model-0"} <= set(re.findall(r"(--[\w-]+):", rules))


@pytest.mark.parametrize("end", ["</script>", "</SCRIPT", "<!--"])
def test_the_bundle_cannot_end_its_script(end):
    assert end.lower() not in chart_bundle().lower()
