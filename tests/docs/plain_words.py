"""Rules of plain English, and the sentences they are asked of; `test_words` compares counts with `words.json`.

python tests/docs/plain_words.py             every sentence that breaks a rule
python tests/docs/plain_words.py docs README.md    those of some files
python tests/docs/plain_words.py --write     today's counts into words.json: a count may only fall
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("words.json")

# Habits of speech that users had to read twice, each with the pattern that finds it.
FORBIDDEN = (
    (
        "what-clause after a verb or preposition",
        r"\b(and|of|is|by|from|with|on|to|in|than|for|at|over|takes?|holds?|gives?) what (is|are|was|were|has|have|had|it|they|the|no|all|other|one|remains?|stands?|comes?|goes|follows|people|runs?|labels?)\b",
    ),
    ("sentence opens with a what-clause", r"^What (?![^.]*\?)"),
    ("`whoever`, `somebody who`", r"\b([Ww]hoever|[Ss]omebody who|[Aa]nybody who)\b|^Who (?![^.]*\?)"),
    ("nobody, somebody", r"\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b"),
    ("is that of, are those of", r"\b(is|are|was|were) (that|those|the one|the ones) of\b"),
    (
        "is of",
        r"\b(is|are|was|were) of (?!(course|interest|little|the same|type|size|length|order|importance|use|limited|great|shape|dimension|different|the form|the order|the following)\b)\w",
    ),
    ("has it", r"\b(has|have|had) it( otherwise)?(?=[.,;:)]|$)|\bas \w+ has it\b"),
    ("says so, says which", r"\b(say|says|said|saying|tell|tells) (so|which|how|what|whether|where|why|by)\b"),
    (
        "a program says, knows, tells",
        r"(`|CODE|[Cc]ommand|[Tt]able|[Pp]age|[Nn]ote|[Mm]odel|[Pp]lan|[Ff]orecast|[Ee]stimate|line) (says?|tells?|knows?|speaks?|sees|thinks)\b",
    ),
    ("is told", r"\b(is|are|was|were|be|been) (told|said)\b"),
    ("told apart", r"\b(told|tells?|telling) (\w+ ){0,3}apart\b"),
    ("speak of, speak for", r"\b(speaks?|spoke|speaking) (of|for|about|alone)\b"),
    (
        "hold (coverage)",
        r"\b([Ii]ntervals?|bands?|bounds|ends|rows?|[Rr]uns|[Dd]ifferences|it|they|that|which|test|%) (now |then |also |still |rather )?(hold|holds|held) (?!on\b)|\b(hold|holds|held) (about |between |nearly )?(\.?\d|the tru|its level|their level)",
    ),
    ("is held", r"\b(is|are|was|were) held\b(?! (out|in memory|fixed|at once))"),
    (
        "holds at every look",
        r"\b(at|of|until|every|each|first|last|second|these|those|all|many|planned|one|the) looks?\b(?! (at|like|up|for|into|and feel)\b)",
    ),
    ("steadied", r"\b[Ss]tead(ied|ying)\b"),
    ("mend", r"\bmend(s|ed|ing)?\b"),
    ("slip of the pen", r"\bslips? of the pen\b"),
    ("go on", r"\b(go|goes|going|went) on\b(?! (to the next|the))"),
    (
        "stand (= be)",
        r"\b(stand|stands|stood|standing) (in|at|there|here|on|beside|below|above|last|between|before|among|under|by|with|near|twice|first|also|alone)\b(?! (in )?for)",
    ),
    ("alike", r"\b[Aa]like\b"),
    ("called otherwise", r"\b(called|written|named|counted|measured|done|put together|go|goes|means?) otherwise\b"),
    ("to expect, lets expect", r"\b(intervals?|widths?|error|range|gain)( there is)? to expect\b|\blets? expect\b"),
    ("without a word", r"\bwithout a word\b|\bno word of\b"),
    (
        "of its own, a run's own",
        r"\bof (one's|its|their) own\b|\b(run|topic|document|item|measure|plan|group|paper)'s own\b",
    ),
    ("is none, there is none", r"\b(is|are|was|were|or) none\b"),
    (
        "nothing as subject",
        r"\bnothing (is|was|were|would|but|that|to|else|tells|moves|of|can|has|in|changes|judged)\b",
    ),
    (
        "no label tells, no sample speaks",
        r"\b[Nn]o (sample|label|run|pair|draw|judged document|interval|number) (tells?|speaks?|says?|moves|knows|shows|rests|guarantees|can)\b",
    ),
    ("next to nothing", r"\bnext to (all|nothing|none|no)\b"),
    ("but for (= except)", r"\bbut for\b(?! (a|the|each|all|both) \w+,)"),
    ("trailing too", r", too\b(?=[.;:,)])"),
    ("in place of", r"\bin (its|their) (place|stead)\b|\bin (the )?place of\b"),
    ("anew", r"\banew\b"),
    ("from ten runs on", r"\bfrom (\d[\d,.]*|\w+)( [a-z@]+){0,3} on(?=[.,;:)]| the table| each| all)"),
    ("bring (= add)", r"\b(bring|brings|brought) (?!(to|about|up|down)\b)"),
    ("will do", r"\b(will|would) do(?=[.:;,)])"),
    (
        "take for",
        r"\b(take|takes|taken|took) (\w+ )?for (complete|relevant|labels?|files?|worse|sizes|new|full|a |an )",
    ),
    ("farther, nearer", r"\b(farther|farthest|nearer|far off|farthest off)\b"),
    ("reach (interval)", r"\breach(es)? (as far|from|down|beyond|up) "),
    (
        "worth as a noun",
        r"\b(of|its|by|their|same|more|most|less|the|much|root of|equal|some) worth\b(?! (of|it|noting|the|a)\b)|\bworth (over|of a|goes|is|at)\b",
    ),
    ("beside(s)", r"\b[Bb]esides?\b"),
    ("as much as, so many", r"\bas (much|many) as\b|\bso many\b"),
    ("all that is", r"\ball that (is|are|was|has|have|it|they|the)\b"),
    (
        "by how much, how much as a noun",
        r"\bby how (much|far|many)\b|\bhow (much|far|many) (of it|of this|that is|it is|these are|they are)\b",
    ),
)
PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in FORBIDDEN)
ANY = re.compile("|".join(f"(?:{pattern})" for _, pattern in FORBIDDEN))
EMPTY_HEADS = re.compile(r"\b(what|none|those|others|ones?|whose|which|who|whom|so|nothing|all|rest|both|such)\b", re.I)
NOUN_CLAUSE = re.compile(r"^(What|That|Who|Whose|Whoever)\b(?![^?]*\?)")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[0-9][0-9.,]*")
QUOTED = "<!-- words: quotation -->"  # a line that quotes others
LEAST_WORDS = 4  # fewer are no sentence
TOO_LONG, LONG_TEXT = 40, 30  # words of a sentence, anywhere and in a longer file
TOO_MANY_HEADS = 3


class Sentence(NamedTuple):
    """A sentence of prose: its file, line and kind."""

    path: str
    line: int
    kind: str  # docs, strings, docstrings (of exported names) or internal (all other docstrings)
    text: str


class Fault(NamedTuple):
    """A sentence and the rule that it breaks."""

    sentence: Sentence
    rule: str
    words: str


def faults(sentences: list[Sentence]) -> Iterator[Fault]:
    """Each broken rule of each sentence."""
    for sentence in sentences:
        text = sentence.text
        if ANY.search(text):
            for name, pattern in PATTERNS:
                found = pattern.search(text)
                if found:
                    yield Fault(sentence, name, found.group(0))
        words = len(WORD.findall(text))
        if words > LONG_TEXT:
            yield Fault(sentence, f"over {TOO_LONG if words > TOO_LONG else LONG_TEXT} words", f"{words} words")
        if len(EMPTY_HEADS.findall(text)) >= TOO_MANY_HEADS:
            yield Fault(sentence, "three empty heads", " ".join(EMPTY_HEADS.findall(text)))
        if text.count(";") and sentence.kind != "strings":
            yield Fault(sentence, "semicolon", ";")
        if NOUN_CLAUSE.search(text):
            yield Fault(sentence, "noun clause first", text.split()[0])


def all_sentences(root: Path = ROOT) -> list[Sentence]:
    """Prose of the docs, and texts and docstrings of the source."""
    pages = [*sorted((root / "docs").rglob("*.md")), *(root / name for name in ("README.md", "CHANGELOG.md"))]
    found = [sentence for page in pages if page.exists() for sentence in of_page(page, root)]
    for path in sorted((root / "src" / "poolwise").rglob("*.py")):
        found += of_module(path, root)
    return found


def of_page(path: Path, root: Path = ROOT) -> list[Sentence]:
    """Sentences of a Markdown page; code, tables and headings are no prose."""
    name, found = path.relative_to(root).as_posix(), []
    for line, paragraph in _paragraphs(path.read_text("utf-8").split("\n")):
        found += [Sentence(name, line, "docs", text) for text in split(paragraph)]
    return found


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, str]]:
    held: list[str] = []
    first, fenced, comment = 0, False, False
    for number, line in enumerate([*lines, ""], 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
        comment = comment or bare.startswith("<!--")
        skipped = fenced or comment or bare.startswith(("```", "#", "|", "![", "[^", "<")) or QUOTED in line
        skipped = skipped or (line.startswith("    ") and not held)
        item = re.match(r"\s*([-*+]|\d+\.) ", line)
        if held and (not bare or skipped or item):
            yield first, " ".join(held)
            held = []
        if bare and not skipped:
            first = first if held else number
            held.append(re.sub(r"^([-*+>]|\d+\.) ", "", bare))
        comment = comment and "-->" not in line


def split(text: str) -> list[str]:
    """Sentences of a paragraph, `code` as one word and links as their text.

    >>> split("Use `a b`: it is [quick](x.md). It does nothing else, see e.g. the docs.")
    ['Use CODE: it is quick.', 'It does nothing else, see e.g. the docs.']
    """
    text = re.sub(r"`[^`]+`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "").replace("*", "")
    parts = re.split(r"(?<=[.!?:])\s+(?=[A-Z0-9\"'(\[])", text)
    return [part.strip() for part in parts if len(WORD.findall(part)) >= LEAST_WORDS]


def of_module(path: Path, root: Path = ROOT) -> list[Sentence]:
    """Sentences of a module's docstrings, and of its texts."""
    tree, name = ast.parse(path.read_text("utf-8")), path.relative_to(root).as_posix()
    docstrings = {id(node.value): public for node, public in _docstrings(tree, _exported(path, root))}
    parts = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for inner in node.values}
    found = []
    for node in ast.walk(tree):
        if id(node) in parts or not isinstance(node, (ast.Constant, ast.JoinedStr)):
            continue
        text = _text(node)
        if text is None:
            continue
        if id(node) in docstrings:
            kind = "docstrings" if docstrings[id(node)] else "internal"
            for line, paragraph in _doc_paragraphs(text):
                found += [Sentence(name, node.lineno + line, kind, each) for each in split(paragraph)]
        else:
            found += [Sentence(name, node.lineno, "strings", each) for each in split(" ".join(text.split()))]
    return found


def _text(node: ast.Constant | ast.JoinedStr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return "".join(part.value if isinstance(part, ast.Constant) else "CODE" for part in node.values)


def _docstrings(tree: ast.Module, exported: set[str]) -> Iterator[tuple[ast.Expr, bool]]:
    """Docstrings, and whether each belongs to an exported name or to a method of one."""
    places: list[tuple[ast.AST, bool]] = [(tree, False)]
    for place, inside in places:
        first = place.body[0] if place.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first, inside
        for node in ast.walk(place) if not isinstance(place, (ast.Module, ast.ClassDef)) else place.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node is not place:
                public = inside or (place is tree and node.name in exported)
                places.append((node, public and (inside or place is tree) and not node.name.startswith("_")))


@cache
def _homes(root: Path) -> dict[str, set[str]]:
    """The module of each exported name, as the package lists them."""
    package = root / "src" / "poolwise" / "__init__.py"
    for node in ast.parse(package.read_text("utf-8")).body if package.exists() else ():
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_HOMES":
            return {home: set(names) for home, names in ast.literal_eval(node.value).items()}
    return {}


@cache
def _methods(root: Path) -> dict[str, set[str]]:
    """By module the functions that classes of other modules bind as methods, by `Lazy`."""
    found: dict[str, set[str]] = {}
    for path in (root / "src" / "poolwise").rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "Lazy(" in text else ():
            if isinstance(node, ast.Assign) and "Lazy(" in ast.unparse(node.value):
                names = re.findall(r"\w+", ast.unparse(node.targets[0]))
                for name, home in zip(names, re.findall(r"Lazy\('([\w.]+)'\)", ast.unparse(node.value)), strict=True):
                    found.setdefault(home, set()).add(name)
    return found


def _exported(path: Path, root: Path) -> set[str]:
    """Names of a module that users import or call as methods; functions of a study's module are all for users."""
    module = ".".join(path.relative_to(root).with_suffix("").parts[1:]).removesuffix(".__init__")
    names = _homes(root).get(module, set()) | _methods(root).get(module, set())
    return names | ({path.stem.removesuffix("_study")} if path.stem.endswith("_study") else set())


def _doc_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    held: list[str] = []
    first = 0
    for number, line in enumerate([*text.split("\n"), ""]):
        bare = line.strip()
        heading = re.fullmatch(r"-{3,}", bare)
        if heading:
            held = held[:-1]
        if held and (not bare or bare.startswith(">>>") or heading):
            yield first, " ".join(held)
            held = []
        if bare and not heading and not bare.startswith((">>>", "...")):
            first = first if held else number
            held.append(bare)


def counts(found: list[Fault]) -> dict[str, dict[str, int]]:
    """How often each file breaks each rule; kinds apart."""
    table: dict[str, Counter[str]] = {}
    for fault in found:
        table.setdefault(fault.sentence.path, Counter())[f"{fault.sentence.kind}: {fault.rule}"] += 1
    return {path: dict(sorted(rules.items())) for path, rules in sorted(table.items())}


def main(words: list[str]) -> None:
    """Print what breaks a rule, or keep today's counts."""
    found = list(faults(all_sentences()))
    if words == ["--write"]:
        KEPT.write_text(json.dumps(counts(found), indent=0, sort_keys=True) + "\n", "utf-8")
        return
    for fault in found:
        one = fault.sentence
        if not words or any(one.path.startswith(word) for word in words):
            print(f'{one.path}:{one.line}  {fault.rule} "{fault.words}"\n    {one.text}')


if __name__ == "__main__":
    main(sys.argv[1:])
