"""What an image's `spec` may be, and what is said of anything else."""

import json

import pytest
from tests.models.container.conftest import CommandsOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SPEC

from pommel.errors import ContainerError


def printing(text: str) -> str:
    return f"sys.stdout.buffer.write({text.encode()!r})\n"


def test_what_is_right(commands: CommandsOf) -> None:
    assert commands().spec() == {**SPEC, "protocol": 1}


def test_an_image_is_asked_once(commands: CommandsOf, engine: LocalEngine) -> None:
    image = commands()
    assert image.spec() is image.spec()
    assert engine.commands == ["spec"]


def test_a_large_vocabulary_takes_no_time(commands: CommandsOf) -> None:
    vocabulary = {"items": [f"word{n}" for n in range(200_000)], "unk_types": ["<unk>"]}
    code = f"import json\nprint(json.dumps({{**json.loads({json.dumps(SPEC)!r}), 'vocabulary': "
    code += "{'items': [f'word{n}' for n in range(200_000)], 'unk_types': ['<unk>']}}))\n"
    assert commands(spec_script=code).spec()["vocabulary"] == vocabulary


WRONG: list[tuple[str, str | None]] = [
    ("", "its output:1: this is not JSON: Expecting value (column 1)"),
    ("loading\n{}", "its output:1: this is not JSON: Expecting value (column 1)"),
    ('{"name":\n "x",}', None),
    ("[]", "its output: this is no spec of a language model: [] is not of type 'object'"),
    ("[" * 100_000, "its output:1: this JSON is nested too deep"),
    ('{"tokenizer": NaN}', "its output:1: NaN is not JSON; write null"),
    (
        "{}",
        "its output: this is no spec of a language model: 'tokenizer' is a required property",
    ),
    (
        '{"tokenizer": {}, "vocabulary": {"items": ["a", 1]}}',
        (
            "its output: this is no spec of a language model: 1 is not of type 'string' "
            "(at vocabulary.items[1])"
        ),
    ),
    ('{"tokenizer": {}, "protocol": 3}', None),
    (
        '{"tokenizer": {}, "name": "\\u001b[31mred"}',
        "the name in it, '\\x1b[31mred', cannot be shown",
    ),
    (
        '{"tokenizer": {"sentinel_pattern": "\\ud800"}}',
        "its output holds half of a surrogate pair, which is no text",
    ),
    (
        '{"tokenizer": {"drop_token_pattern": "(a+)+$"}}',
        (
            "its output: the drop_token_pattern '(a+)+$': a group is repeated in it, which can "
            "take for ever; write [...]+ instead"
        ),
    ),
    (f'{{"tokenizer": {{}}, "size": {"1" * 5000}}}', None),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_wrong(commands: CommandsOf, text: str, message: str | None) -> None:
    with pytest.raises(ContainerError) as caught:
        commands(spec_script=printing(text)).spec()
    head, _, rest = str(caught.value).partition(": spec: ")
    assert head == "local://toy"
    assert rest if message is None else rest == message
    assert len(rest) < 500


TOKENIZER = '{"tokenizer": {}, '
TOO_BIG: list[tuple[str, str]] = [
    (f"print('[' + '[],' * {12 << 20} + '[]]')\n", "its output is bigger than 32 MiB"),
    (
        "print('[' + '[],' * 1_000_000 + '[]]')\n",
        "its output holds more than 100000 values beside the words of vocabulary.items",
    ),
    (
        f"print({TOKENIZER!r} + '\"a\": ' + '[' * 40 + ']' * 40 + '}}')\n",
        "its output is nested deeper than 32 levels",
    ),
    (
        f"print({TOKENIZER!r} + '\"protocol\": \"' + 'x' * 1_000_000 + '\"}}')\n",
        "its output holds a text of more than 100000 characters",
    ),
    ('sys.stdout.buffer.write(b\'{"a": "\\xff"}\')\n', "its output is not UTF-8"),
]


@pytest.mark.parametrize(("script", "message"), TOO_BIG)
def test_what_is_too_big(commands: CommandsOf, script: str, message: str) -> None:
    with pytest.raises(ContainerError) as caught:
        commands(spec_script=script).spec()
    assert str(caught.value) == f"local://toy: spec: {message}"


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ("name", "x" * 201, f"the name in it, '{'x' * 80}'…, has more than 200 characters"),
        ("shortname", "\x1b[2J", "the shortname in it, '\\x1b[2J', cannot be shown"),
        ("shortname", "  ", "the shortname in it, '  ', cannot be shown"),
        ("unk_types", "\x07", "a token of vocabulary.unk_types in it, '\\x07', cannot be shown"),
        (
            "prefix_types",
            "y" * 300,
            (
                f"a token of vocabulary.prefix_types in it, '{'y' * 80}'…, "
                "has more than 200 characters"
            ),
        ),
        ("suffix_types", "\n", "a token of vocabulary.suffix_types in it, '\\n', cannot be shown"),
        (
            "special_types",
            "\u202e",
            "a token of vocabulary.special_types in it, '\\u202e', cannot be shown",
        ),
    ],
)
def test_names_and_marks_can_be_shown(
    commands: CommandsOf, where: str, value: str, message: str
) -> None:
    part = {"vocabulary": {where: [value]}} if where.endswith("types") else {where: value}
    with pytest.raises(ContainerError) as caught:
        commands(spec_script=printing(json.dumps({**SPEC, **part}))).spec()
    assert str(caught.value) == f"local://toy: spec: {message}"


def test_a_failure_is_not_remembered(commands: CommandsOf, engine: LocalEngine) -> None:
    broken = commands(spec_script="print('half'); sys.stderr.write('no weights'); sys.exit(1)")
    for _ in range(2):
        with pytest.raises(ContainerError) as caught:
            broken.spec()
    assert str(caught.value) == (
        "local://toy: spec: it ended with exit status 1; the last it wrote to standard error:\n"
        "    no weights"
    )
    assert engine.commands == ["spec", "spec"]
