"""Strings as Python writes them, read without Python's evaluating anything else."""

import ast
import re
import warnings

_LITERAL = re.compile(r"""[bB]?(?:'(?:[^'\\\r\n]|\\.)*+'|"(?:[^"\\\r\n]|\\.)*+")""")


def text_of_literal(literal: str) -> str:
    """Return the text of a literal such as `b'caf\\xc3\\xa9'` or `'café'`; bytes are UTF-8.

    Raises `ValueError` for anything else, and for an escape that Python does not know.
    """
    if not _LITERAL.fullmatch(literal):
        raise ValueError("this is no string as Python writes it")
    try:
        with warnings.catch_warnings():
            # What is no escape is a warning, and would be read as a backslash.
            warnings.simplefilter("error")
            value = ast.literal_eval(literal)
    except SyntaxError as error:
        raise ValueError(error.msg) from None
    if isinstance(value, bytes):
        return value.decode()
    # Half of a surrogate pair can be written in Python, and nowhere else.
    return str(value).encode().decode()
