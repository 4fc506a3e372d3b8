"""What functions say that they take: names and types, so that a checker can tell what is wrong."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# How many are left in a file or a room; none anywhere else. This list only becomes shorter.
LEFT = {
    "api.py": 1,
    "cli": 3,
    "compat": 6,
    "images": 1,
    "leaderboard": 4,
    "models": 19,
    "report": 2,
    "sources": 2,
}


def untyped(tree: ast.AST) -> Iterator[str]:
    """Yield what says too little: `**kwargs`, parameters typed `Any`, and `dict[str, Any]`."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
                if args.kwarg:
                    yield f"{node.lineno}: {node.name}(**{args.kwarg.arg})"
                for each in (*args.posonlyargs, *args.args, *args.kwonlyargs):
                    if isinstance(each.annotation, ast.Name) and each.annotation.id == "Any":
                        yield f"{node.lineno}: {node.name}({each.arg}: Any)"
            case ast.Subscript(
                value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, ast.Name(id="Any")])
            ):
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_what_says_too_little_is_found() -> None:
    source = (
        "def f(a: Any, *, b: Any = 1, **c: Any) -> dict[str, Any]: ...\n"
        "def g(a: object, b: Mapping[str, Any], *c: int) -> Any: ...\n"
    )
    assert sorted(untyped(ast.parse(source))) == [
        "1: dict[str, Any]",
        "1: f(**c)",
        "1: f(a: Any)",
        "1: f(b: Any)",
    ]


def test_functions_say_what_they_take(repository: Path) -> None:
    package = repository / "runner" / "pommel"
    found = [
        (path.relative_to(package), line)
        for path in sorted(package.rglob("*.py"))
        for line in untyped(ast.parse(path.read_text("utf-8")))
    ]
    counts = Counter(path.parts[0] for path, _ in found)
    too_many = {room for room, count in counts.items() if count > LEFT.get(room, 0)}
    assert [f"{path}:{line}" for path, line in found if path.parts[0] in too_many] == []
