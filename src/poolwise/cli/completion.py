"""`poolwise completion`: a script for a shell that completes commands, options, choices and measures.

The script is made from what the commands declare, once, so that completing costs no start of Python.
"""

from __future__ import annotations

from poolwise.cli.output import deliver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolwise.cli.arguments import Namespace, Option, Parser

EXAMPLE = 'eval "$(poolwise completion bash)"'
SHELLS = ("bash", "zsh", "fish")
HELP = ("-h", "--help")
PATHS = ("FILE", "DIR", "QRELS", "SCORES")


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "shell", choices=SHELLS, help="whose script to print; the line below, in its settings, loads it"
    )


def run(arguments: Namespace) -> int:
    """Print the script."""
    from poolwise.cli.main import COMMANDS, parser_of

    parsers = [parser_of(name) for name in COMMANDS]
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]
    deliver(script(parsers, COMMANDS), None)
    return 0


def words_for(option: Option) -> list[str]:
    """Values that an option may have; none where it takes a number, a name of the user's, or a file."""
    if option.choices is not None:
        return list(option.choices)
    if option.metavar == "MEASURE":
        from poolwise.measures.registry import measures

        return sorted(declaration.name for declaration in measures())
    if option.metavar == "STUDY":
        from poolwise.lab.study import STUDIES

        return [*STUDIES, "all"]
    return []


def takes_path(option: Option) -> bool:
    """Whether a value names a file or a folder; an option that takes a RUN wants its name."""
    return option.metavar in PATHS or (option.metavar == "RUN" and not option.flags)


def _flags(parser: Parser) -> list[str]:
    return [*(flag for option in parser.optional() for flag in option.flags), *HELP]


def _quoted(text: str) -> str:
    """A text between single quotes, as every one of the shells reads it."""
    return "'" + text.replace("'", "'\\''") + "'"


def _bash(parsers: list[Parser], summaries: dict[str, str]) -> str:
    """Values by the option before them, flags by the command; else files, or the words of the first argument."""
    cases = []
    for parser in parsers:
        values = "".join(_bash_values(parser))
        words = " ".join(word for option in parser.positional() for word in words_for(option))
        cases.append(
            f"        {parser.name})\n            flags={_quoted(' '.join(_flags(parser)))} words={_quoted(words)}\n"
        )
        cases.append(f"            case $before in\n{values}            esac;;\n" if values else "            ;;\n")
    return f"""_poolwise() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags= words= values= files=yes
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W {_quoted(" ".join([*summaries, "--help", "--version"]))} -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{"".join(cases)}    esac
    if [ "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [ -z "$files" ]; then
        COMPREPLY=()
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$word"))
    else
        COMPREPLY=($( [ "$COMP_CWORD" = 2 ] && compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _poolwise poolwise
"""


def _bash_values(parser: Parser) -> Iterator[str]:
    for option in parser.optional():
        if option.takes_value and not takes_path(option):
            words = words_for(option)
            yield f"                {'|'.join(option.flags)}) values={_quoted(' '.join(words))} files=;;\n"


def _zsh(parsers: list[Parser], summaries: dict[str, str]) -> str:
    """A list of commands with their summaries, then what `_arguments` wants to know of each."""
    listed = "\n".join(f"            {_quoted(f'{name}:{summary}')}" for name, summary in summaries.items())
    cases = "".join(
        f"        {parser.name})\n            _arguments -s \\\n                "
        + " \\\n                ".join(_zsh_specs(parser))
        + ";;\n"
        for parser in parsers
    )
    return f"""#compdef poolwise
_poolwise() {{
    if (( CURRENT == 2 )); then
        local -a commands=(
{listed}
        )
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}    esac
}}
compdef _poolwise poolwise
"""


def _zsh_specs(parser: Parser) -> Iterator[str]:
    for option in parser.optional():
        about = option.help.replace("[", "(").replace("]", ")").replace(":", ";")
        value = f":{option.name}:{_zsh_action(option)}" if option.takes_value else ""
        count = option.nargs if isinstance(option.nargs, int) else 1
        often = "*" if option.action == "append" else ""
        yield from (_quoted(f"{often}{flag}[{about}]{value * count}") for flag in option.flags)
    yield from (_quoted(f"{flag}[show this help]") for flag in HELP)
    for option in parser.positional():
        repeated = "*" if option.nargs in ("*", "+") else ""
        yield _quoted(f"{repeated}:{option.name}:{_zsh_action(option)}")


def _zsh_action(option: Option) -> str:
    words = words_for(option)
    return f"({' '.join(words)})" if words else "_files" if takes_path(option) else " "


def _fish(parsers: list[Parser], summaries: dict[str, str]) -> str:
    """One line per command and per option."""
    return "\n".join(_fish_lines(parsers, summaries)) + "\n"


def _fish_lines(parsers: list[Parser], summaries: dict[str, str]) -> Iterator[str]:
    for name, summary in summaries.items():
        yield f"complete -c poolwise -f -n __fish_use_subcommand -a {name} -d {_fish_quoted(summary)}"
    for parser in parsers:
        start = f"complete -c poolwise -n '__fish_seen_subcommand_from {parser.name}'"
        for option in parser.options:
            words = words_for(option)
            names = "".join(f" -{'l' if flag.startswith('--') else 's'} {flag.lstrip('-')}" for flag in option.flags)
            value = (" -r" if takes_path(option) else " -x") if option.flags and option.takes_value else ""
            offered = f" -a {_fish_quoted(' '.join(words))}" if words else ""
            if names or offered:
                yield f"{start}{names}{value}{offered} -d {_fish_quoted(option.help)}"
        yield f"{start} -s h -l help -d 'show this help'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
