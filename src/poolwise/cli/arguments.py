"""Reading options: the part of argparse's interface that the commands use, without its cost at start.

argparse alone takes about as long to load as scoring a run; here a command declares options with `add_argument` in
the same words, and `parse` reads them. At the end are readers of the values of options: lists, labels, files of names.
"""

from __future__ import annotations

from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Namespace:
    """Options by name."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


class Option:
    """One option (its flags begin with a minus) or one positional argument."""

    def __init__(
        self,
        *flags: str,
        dest: str | None = None,
        action: str = "store",
        type: Callable[[str], Any] = str,
        choices: Sequence[str] | None = None,
        default: Any = None,
        metavar: str | tuple[str, ...] | None = None,
        nargs: str | int | None = None,
        required: bool = False,
        unless: str | None = None,
        alone: str | None = None,
        help: str = "",
    ) -> None:
        longest = max(flags, key=len)
        self.flags = flags if longest.startswith("-") else ()
        self.name = dest or longest.lstrip("-").replace("-", "_")
        self.takes_value = action not in ("store_true",)
        self.action, self.type, self.choices, self.nargs = action, type, choices, nargs
        self.default = False if action == "store_true" else default
        self.required, self.unless, self.help = required, unless, help  # unless: an option that may stand in
        self.alone = alone  # a word that stands for all values, if none follows it
        self.metavar = metavar or ("{" + ",".join(choices) + "}" if choices else longest.lstrip("-").upper())

    def read(self, word: str) -> Any:
        """Check and convert one value."""
        shown = self.flags[-1] if self.flags else self.metavar
        if self.choices is not None and word not in self.choices:
            raise ArgumentError(
                _unknown(f"{shown} {word!r}:", word, self.choices, f"choose one of {', '.join(self.choices)}")
            )
        try:
            return self.type(word)
        except ValueError:
            raise ArgumentError(f"{shown} {word!r}: expected {_KINDS.get(self.type, 'another value')}") from None

    def usage(self) -> str:
        """How it is written."""
        if not self.takes_value:
            return ", ".join(self.flags)
        if not self.flags:
            return str(self.metavar)
        values = " ".join(self.metavar) if isinstance(self.metavar, tuple) else self.metavar
        if isinstance(self.nargs, int) and not isinstance(self.metavar, tuple):
            values = " ".join([str(self.metavar)] * self.nargs)
        return f"{', '.join(self.flags)} {values}" + (" ..." if self.nargs in ("*", "+") else "")


def _unknown(kind: str, word: str, known: Sequence[str], advice: str) -> str:
    """Say that a word is not known, with those most like it."""
    from poolwise.basics.settings import did_you_mean

    return " ".join(part for part in (kind, did_you_mean(word, known), advice) if part)


_KINDS: dict[Any, str] = {int: "a whole number", float: "a number"}


class Parser:
    """The options of a command."""

    def __init__(self, name: str, description: str, example: str) -> None:
        self.name, self.description, self.example = name, description, example
        self.options: list[Option] = []
        self.when_too_many = ""  # what to do with more words than there are places for
        self.sibling = ""  # a command whose options may be meant, if one is not known here

    def add_argument(self, *flags: str, **settings: Any) -> None:
        """Declare an option or a positional argument, in argparse's words."""
        self.options.append(Option(*flags, **settings))

    def parse(self, words: list[str]) -> Namespace:
        """Read the words of a command line; a value may begin with a minus, if it is no option."""
        values = Namespace()
        for option in self.options:
            setattr(values, option.name, list(option.default) if isinstance(option.default, list) else option.default)
        loose: list[str] = []
        rest = list(words)
        seen: set[str] = set()
        while rest:
            word = rest.pop(0)
            if word == "--":
                loose += rest
                break
            # A minus alone is standard input.
            if word == "-" or not word.startswith("-"):
                loose.append(word)
                continue
            name = self._take(word, rest, values)
            if name in seen and any(option.name == name and option.action == "store" for option in self.options):
                raise ArgumentError(f"{word.partition('=')[0]} is given twice; {self.name} takes it once")
            seen.add(name)
        self._positional(loose, values, seen)
        for option in self.options:
            if option.required and option.name not in seen:
                raise ArgumentError(f"{option.usage()} is needed; see: poolwise {self.name} --help")
        return values

    def _take(self, word: str, rest: list[str], namespace: Namespace) -> str:
        """Read one option and its values from what follows."""
        flag, equals, attached = word.partition("=")
        option = self._option(flag)
        if option is None and not word.startswith("--") and len(word) > 2:
            flag, equals, attached = word[:2], "=", word[2:]  # -l2, or -qc
            option = self._option(flag)
            if option is not None and not option.takes_value:
                rest.insert(0, "-" + attached)
                equals = attached = ""
        if option is None:
            known = [flag for each in self.options for flag in each.flags]
            advice = self._of_sibling(flag) or f"see: poolwise {self.name} --help"
            raise ArgumentError(_unknown(f"no option {flag!r};", flag, known, advice))
        if not option.takes_value:
            if equals:
                raise ArgumentError(f"{flag} takes no value")
            setattr(namespace, option.name, True)
            return option.name
        values = [attached] if equals else []
        wanted = option.nargs if isinstance(option.nargs, int) else 1
        # Only a known option ends the values: a number may begin with a minus.
        while len(values) < wanted and rest and self._option(rest[0]) is None:
            values.append(rest.pop(0))
            # One word, such as all, may stand for all values of an option.
            if values == [option.alone] and (not rest or rest[0].startswith("-")):
                values = [str(option.alone)] * wanted
        while option.nargs in ("*", "+") and rest and not rest[0].startswith("-"):
            values.append(rest.pop(0))
        if len(values) < wanted:
            raise ArgumentError(f"{option.usage()}: a value is missing{f' before {rest[0]}' if rest else ''}")
        read = [option.read(value) for value in values]
        value = read[0] if option.nargs is None else read
        if option.action == "append":
            value = [*(getattr(namespace, option.name) or []), value]
        setattr(namespace, option.name, value)
        return option.name

    def _positional(self, loose: list[str], namespace: Namespace, seen: set[str]) -> None:
        """Give the words that are no options to the positional arguments, in order."""
        positional = self.positional()
        for index, option in enumerate(positional):
            if option.nargs in ("*", "+"):
                # Arguments behind a list keep a word each.
                after = sum(each.nargs is None for each in positional[index + 1 :])
                count = max(0, len(loose) - after)
                if option.nargs == "+" and count == 0 and not option.unless:
                    raise ArgumentError(f"{option.metavar} is needed; see: poolwise {self.name} --help")
                setattr(namespace, option.name, [option.read(word) for word in loose[:count]])
                del loose[:count]
            elif loose:
                setattr(namespace, option.name, option.read(loose.pop(0)))
                seen.add(option.name)
            elif option.nargs is None:
                raise ArgumentError(f"{option.metavar} is needed; see: poolwise {self.name} --help")
        if loose:
            advice = self.when_too_many or f"see: poolwise {self.name} --help"
            raise ArgumentError(f"{loose[0]!r} is one word too many; {advice}")

    def _of_sibling(self, flag: str) -> str:
        """Where an option is, if it is the sibling's."""
        if not self.sibling:
            return ""
        from poolwise.cli.main import parser_of

        taken = parser_of(self.sibling)._option(flag) is not None
        return f"`poolwise {self.sibling}` has it, as {self.sibling} has" if taken else ""

    def _option(self, flag: str) -> Option | None:
        return next((option for option in self.options if flag in option.flags), None)

    def positional(self) -> list[Option]:
        """Arguments, which are known by their place."""
        return [option for option in self.options if not option.flags]

    def optional(self) -> list[Option]:
        """Options, which are known by their flags."""
        return [option for option in self.options if option.flags]

    def usage(self) -> str:
        """How the command is called."""
        forms = {"*": "[{} ...]", "+": "{} ...", "?": "[{}]"}
        shown = [forms.get(str(option.nargs), "{}").format(option.metavar) for option in self.positional()]
        return " ".join(["poolwise", self.name, *shown, "[options]"])

    def help(self) -> str:
        """The help text, with an example."""
        from textwrap import wrap

        parts = [f"usage: {self.usage()}", "", self.description]
        for title, options in (("arguments", self.positional()), ("options", self.optional())):
            parts += ["", f"{title}:"] if options else []
            for option in options:
                lines = wrap(option.help, 76) or [""]
                parts.append(f"  {option.usage():<30}{lines[0]}" if len(option.usage()) < 30 else f"  {option.usage()}")
                parts += [" " * 32 + line for line in (lines[1:] if len(option.usage()) < 30 else lines)]
        parts += [f"  {'-h, --help':<30}show this help", "", "example:", f"  {self.example}"]
        return "\n".join(parts)


def read_pairs(path: str | None, alone: bool = False) -> dict[str, str] | None:
    """A file of names and what each belongs to, one pair per line, or of names alone; None without a file."""
    if path is None:
        return None
    from poolwise.reading.opening import numbered_lines

    pairs = {}
    for number, line in numbered_lines(path):
        words = line.split("\t") if "\t" in line else line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 and not alone:
            found = "one word" if len(words) == 1 else f"{len(words)} words"
            raise InputError(f"{path}:{number}: {found} found; every line needs a name and what it belongs to")
        pairs[words[0].strip()] = words[-1 if alone else 1].strip()
    return pairs


def unjudged_label(text: str) -> int | str | None:
    """Read the value of --unjudged."""
    if text == "none":
        return None
    if text == "negative":
        return text
    try:
        return int(text)
    except ValueError:
        raise ArgumentError(f"--unjudged {text!r}: give a label, negative or none") from None


def thresholds_given(option: str, values: Sequence[str]) -> dict[str, float]:
    """Lowest relevant labels by assessor, "" being all others.

    >>> thresholds_given("--rel", ["2", "model=1"])
    {'': 2.0, 'model': 1.0}
    """
    thresholds = {}
    for words in values:
        name, _, label = words.rpartition("=")
        try:
            thresholds[name] = float(label)
        except ValueError:
            raise ArgumentError(f"{option} {words!r}: give a label, or an assessor and a label as in model=1") from None
    return thresholds


def listed(text: str | None) -> list[str] | None:
    """Values separated by commas."""
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def whole_numbers(option: str, text: str | None) -> list[int] | None:
    """Whole numbers separated by commas."""
    try:
        return None if text is None else [int(word) for word in listed(text) or []]
    except ValueError:
        raise ArgumentError(f"{option} {text!r}: give whole numbers separated by commas, as in 5,20,50") from None


def contributing(path: str | None, runs: list[str]) -> list[str] | None:
    """Names of contributing runs from a file; a path to a run names it too."""
    if path is None:
        return None
    from poolwise.reading.opening import numbered_lines
    from poolwise.reading.sources import run_name

    names = []
    for number, line in numbered_lines(path):
        name = line if line in runs else run_name(line)
        if name not in runs:
            raise InputError(f"{path}:{number}: no run is called {line!r}; give one name of the given runs per line")
        names.append(name)
    if not names:
        raise InputError(f"{path}: no run found; give the names of contributing runs, one per line")
    return names
