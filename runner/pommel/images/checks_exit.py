"""Checks of exit statuses: 99 for what an image does not have, not 0 for what goes wrong."""

import re
from dataclasses import replace

from pommel.errors import ContainerError
from pommel.images.check import Check, Failed
from pommel.images.subject import Skipped, Subject
from pommel.images.trial_sentences import KINDS
from pommel.models.container.engines.process import output_lines

_NOT_SUPPORTED = 99
_NO_COMMAND = (126, 127)
_COMMANDS = {
    "tokenize": "tokenize",
    "unkify": "unkify",
    "get_surprisals": "get_surprisals",
    "get_predictions": "get_predictions.hdf5",
}
_CASES = {
    "sentence": "a sentence",
    "missing": "a file that is not there",
    "nothing": "no file at all",
}
# Runs each COMMAND=CASE and prints it with its exit status; one start for all of them.
_SCRIPT = """
sentence=$1; shift
file=/tmp/pommel-check-$$; printf '%s\\n' "$sentence" > $file
for each in "$@"; do
    command=${each%=*}
    case $each in
        *=sentence) set -- $file;;
        *=missing) set -- /tmp/pommel-check/none;;
        *) set --;;
    esac
    [ $# = 1 ] && [ "$command" = get_predictions.hdf5 ] && set -- "$1" $file.out
    "$command" "$@" </dev/null >/dev/null 2>&1; echo "$each $?"
done
rm -f $file $file.out
"""

_STATUS = re.compile("[0-9]{1,3}")

# (feature, case) -> exit status.
Statuses = dict[tuple[str, str], int]


def _statuses(subject: Subject) -> Statuses:
    # An image that answers nothing ends with all sorts of statuses, which show nothing.
    _ = subject.spec, subject.plain()
    try:
        return subject.once("the script that looks at exit statuses", lambda: _ask(subject))
    except ContainerError as error:
        reason = str(error).removeprefix(f"{subject.commands.reference}: ")
        raise Skipped(
            f"the script that looks at them does not run in the image: {reason}"
        ) from error


def _ask(subject: Subject) -> Statuses:
    # What a command does with a sentence, others have seen, unless it is not there. Each of these
    # may load a model.
    cases = [(name, "sentence") for name in _COMMANDS if not _has(subject, name)]
    cases += [(name, "missing") for name in _COMMANDS if _has(subject, name) and name != "unkify"]
    cases += [(name, "nothing") for name in _COMMANDS if _has(subject, name)]
    arguments = {f"{_COMMANDS[name]}={case}": (name, case) for name, case in cases}
    commands = subject.commands
    job = replace(
        commands.job("sh", "-c", _SCRIPT, "check", KINDS["plain"][0], *arguments),
        label="sh (exit statuses)",
    )
    found = {}
    for line in output_lines(commands.engine, job):
        key, _, status = line.partition(" ")
        if key in arguments and _STATUS.fullmatch(status):
            found[arguments[key]] = int(status)
    if set(found) != set(cases):
        raise Skipped("the shell in the image does not do what shells do")
    return found


def _has(subject: Subject, feature: str) -> bool:
    says = subject.supports(feature)
    return feature != "get_predictions" if says is None else says


def _says_99(subject: Subject) -> str:
    denied = []
    for (name, case), status in _statuses(subject).items():
        if case == "sentence" and subject.supports(name) is False:
            denied.append(name)
            if status != _NOT_SUPPORTED:
                raise Failed(
                    f"the spec says that there is no {name}, and {_COMMANDS[name]} ends with exit "
                    f"status {status}"
                )
    return f"for {', '.join(denied)}" if denied else "all commands are supported"


def _fails_without_input(subject: Subject) -> str:
    for (name, case), status in _statuses(subject).items():
        if case == "sentence":
            continue
        if status in _NO_COMMAND:
            raise Failed(f"{_COMMANDS[name]} is not there (exit status {status})")
        if status in (0, _NOT_SUPPORTED):
            raise Failed(f"{_COMMANDS[name]} ends with exit status {status} for {_CASES[case]}")
    return ""


EXIT_CHECKS = (
    Check(
        name="exit-status-99",
        shows="commands that the spec denies end with exit status 99",
        mend="correct the spec's image.supported_features, or let the command end with 99",
        run=_says_99,
    ),
    Check(
        name="exit-status-1",
        shows="a command that fails ends with another exit status than 0 and 99",
        mend="end with exit status 1 (`set -e` in shell scripts; no `except: pass`)",
        run=_fails_without_input,
    ),
)
