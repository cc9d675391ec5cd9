"""The words of an HTML page: what a reader would read, paragraphs apart."""

from __future__ import annotations

from html.parser import HTMLParser

UNREAD = {"script", "style", "noscript", "template", "svg", "head"}
APART = {
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
}  # fmt: skip


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.parts: list[str] = []
        self._unread = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "title":
            self._in_title = True
        elif tag in UNREAD:
            self._unread += 1
        elif tag in APART:
            self.parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in UNREAD:
            self._unread = max(0, self._unread - 1)
        elif tag in APART:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._unread:
            self.parts.append(data)


def words_of(text: str) -> tuple[str, str]:
    """Title and text of a page.

    >>> words_of("<head><title>A &amp; B</title></head><p>one</p><p>two\\n lines</p>")
    ('A & B', 'one\\n\\ntwo lines')
    """
    parser = _Words()
    parser.feed(text)
    parser.close()
    paragraphs = (" ".join(part.split()) for part in "".join(parser.parts).split("\n\n"))
    return " ".join("".join(parser.title).split()), "\n\n".join(part for part in paragraphs if part)
