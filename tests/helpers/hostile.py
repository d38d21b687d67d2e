"""Names and values made to do harm, by families: what a table may hold that somebody else has filled in."""

from __future__ import annotations

from itertools import product

HARM = "window.harmed=1"
"""What they try to run."""


def markup() -> list[str]:
    """Elements that load or run something, behind what might end the place they stand in."""
    ends = ["", '">', "'>", "-->", "]]>", "</script>", "</style>", "</title>", "</textarea>", "</svg>"]
    tags = [
        *("script", "img", "svg", "iframe", "object", "embed", "video", "audio", "link", "meta", "base"),
        *("form", "input", "math", "style", "template", "details", "body", "marquee", "foreignObject"),
    ]
    attributes = (
        f"src=//evil.example/x href=javascript:{HARM} onload={HARM} onerror={HARM} ontoggle={HARM} open"
    )
    return [f"{end}<{tag} {attributes}>{HARM}</{tag}>" for end, tag in product(ends, tags)]


def handlers() -> list[str]:
    """Attributes that run something, out of any quotes."""
    events = ("click", "focus", "mouseover", "load", "error", "animationstart", "input", "toggle", "wheel")
    return [f"x{quote} on{event}={HARM} autofocus y={quote}" for quote, event in product("\"'` ", events)]


def addresses() -> list[str]:
    """Addresses that a careless page would follow."""
    schemes = [
        *(f"javascript:{HARM}", f"JaVaScRiPt:{HARM}", f"java\tscript:{HARM}", f"vbscript:{HARM}"),
        *(f"data:text/html,<script>{HARM}</script>", "//evil.example/x", "http://evil.example/x"),
        *("file:///etc/passwd", "blob:null/x", f"&#106;avascript:{HARM}", "url(http://evil.example/x)"),
    ]
    return [before + scheme for before, scheme in product(("", " ", "\x01"), schemes)]


def templates() -> list[str]:
    """Marks that engines fill in, those of this page among them."""
    marks = [
        "{{%s}}",
        "${%s}",
        "`${%s}`",
        "<%%= %s %%>",
        "#{%s}",
        "[[%s]]",
        "{%% %s %%}",
        "@(%s)",
        "\\1%s",
        "$&%s",
    ]
    inside = [HARM, "content", "script", f"constructor.constructor('{HARM}')()"]
    return [mark % one for mark, one in product(marks, inside)]


def broken_json() -> list[str]:
    """What ends a string, an object or a line of JSON."""
    marks = [
        '"',
        "\\",
        '\\"',
        '"}',
        '"]',
        "}]",
        '",',
        "\\u003c/script>",
        "\u2028",
        "\u2029",
        "/*",
        "//",
        "<!--",
        "\\x3c",
    ]
    return [
        before + mark + after for mark, (before, after) in product(marks, [("", ""), ("a", f";{HARM}//")])
    ]


def unseen() -> list[str]:
    """Every control character, and those that turn, join or hide what stands beside them."""
    codes = [*range(32), *range(0x7F, 0xA0), 0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010)]
    codes += [*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, 0xFFF9, 0xFFFD, 0xFFFE, 0xE0001, 0xD800]
    return [f"a{chr(code)}b" for code in codes]


def foreign() -> list[str]:
    """Other directions, characters of several parts, half characters, and marks in heaps."""
    words = ["שלום", "مرحبا بالعالم", "שם <b>name</b>", "日本語", "ไทย", "👩‍👩‍👧‍👦", "🏳️‍🌈", "é" * 40, "İıſK"]
    return [
        *words,
        *(word[::-1] + " | " + word for word in words),
        *("e" + "\u0301" * count for count in (5, 99)),
    ]


def long() -> list[str]:
    """More than any card holds, with and without places to break."""
    return [
        (part * 600)[:length] for part in ("x", "word ", "<b>", "ש", "😀", "a\n") for length in (500, 600)
    ]


def formulas() -> list[str]:
    """What a spreadsheet would run."""
    runs = ["cmd|' /C calc'!A0", "SUM(1+1)", 'HYPERLINK("http://evil.example/x","y")', "1+1"]
    return [before + sign + run for before, sign, run in product(("", " ", "\t"), "=+-@", runs)]


def words_of_the_script() -> list[str]:
    """Names that every object of JavaScript, or this page, has already."""
    return [
        *("__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "then", "length"),
        *(
            "content",
            "canvas",
            "card",
            "live",
            "missing",
            "null",
            "NaN",
            "undefined",
            "Infinity",
            "true",
            "-1",
        ),
    ]


FAMILIES = {
    family.__name__: family()
    for family in (
        *(markup, handlers, addresses, templates, broken_json, unseen, foreign, long, formulas),
        words_of_the_script,
    )
}
NAMES = list(dict.fromkeys(name for family in FAMILIES.values() for name in family))
