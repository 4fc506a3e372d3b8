"""Manifests with too much, with numbers and names of the wrong kind, and what is said of each."""

from collections.abc import Mapping

from tests.leaderboard.submission.changing import TOKENS, Make, manifest, put

DESCRIBED: Mapping[str, tuple[Make, str]] = {
    "thousands of methods": (
        manifest(put(["causal"] * 50_000, "model", "methods")),
        (
            "manifest.json: this is no manifest: 50,000 are more than the 20 that are taken (at "
            "model.methods)"
        ),
    ),
    "thousands of scores": (
        manifest(put([{}] * 50_000, "suites", 0, "scores")),
        (
            "manifest.json: this is no manifest: 50,000 are more than the 1,000 that are taken (at "
            "suites[0].scores)"
        ),
    ),
    "thousands of files": (
        manifest(put({str(n): {} for n in range(50_000)}, "files")),
        (
            "manifest.json: this is no manifest: 50,000 are more than the 2,000 that are taken (at "
            "files)"
        ),
    ),
    "a hundred thousand empty details": (
        manifest(put([{}] * 100_001, "model", "details")),
        "manifest.json: has more than 100,000 lists and objects",
    ),
    **{
        f"a float for a whole number in {key}": (
            manifest(put(24.0, *path)),
            (f"manifest.json: this is no manifest: 24.0 is not of type 'integer' (at {shown})"),
        )
        for key, shown, *path in (
            ("n_tokens", "suites[0].n_tokens", "suites", 0, "n_tokens"),
            ("n_sentences", "suites[0].n_sentences", "suites", 0, "n_sentences"),
            ("n_items", "suites[0].n_items", "suites", 0, "n_items"),
            ("a score", "suites[0].scores[0].n_holding", *("suites", 0, "scores", 0, "n_holding")),
            ("n_bytes", f"files['{TOKENS}'].n_bytes", "files", TOKENS, "n_bytes"),
        )
    },
    "a float for the number of parameters": (
        manifest(put(1e300, "model", "n_parameters")),
        (
            "manifest.json: this is no manifest: 1e+300 is not of type 'integer', 'null' (at "
            "model.n_parameters)"
        ),
    ),
    "a truth for a whole number": (
        manifest(put(True, "suites", 0, "n_items")),  # noqa: FBT003 - what is put there
        (
            "manifest.json: this is no manifest: True is not of type 'integer' (at "
            "suites[0].n_items)"
        ),
    ),
    **{
        f"a fingerprint {what}": (
            manifest(put(text, "model", "fingerprint")),
            (
                f"manifest.json: this is no manifest: {text!r} does not match "
                f"'^[0-9a-z._:-]+(?!\\\\n)$' (at model.fingerprint)"
            ),
        )
        for what, text in (
            ("with a blank behind it", "0 "),
            ("with a line behind it", "0\n"),
            ("in capitals", "AB"),
            ("that looks like another", "\u0430b"),
        )
    },
    **{
        f"a name with {what} behind it": (
            manifest(put(f"gpt2{text}", "submitter", "name")),
            (
                f"manifest.json: name cannot be {f'gpt2{text}'!r}; write one line, without blanks "
                f"around it or characters that are not shown"
            ),
        )
        for what, text in (
            ("a blank of Braille", "\u2800"),
            ("a filler", "\u3164"),
            ("a joiner", "\u200d"),
            ("blanks of two kinds", "\u2800 "),
        )
    },
    "a name under a tower": (
        manifest(put("gpt2" + "\u0301" * 9, "submitter", "name")),
        "manifest.json: name has more than 8 marks on one letter",
    ),
}
