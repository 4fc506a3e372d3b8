"""Manifests and files that do not fit together, and what is said of each."""

import json
from collections.abc import Mapping

from tests.leaderboard.submission.changing import CLAIMS, TOKENS, Make, manifest, put, raw_manifest
from tests.leaderboard.submission.samples import Parts, policy_dict


def _undescribed_file(parts: Parts) -> bytes:
    return parts.with_raw(f"results/{'0' * 64}.json", b"{}").packed()


def _without(name: str) -> Make:
    return lambda parts: Parts(
        files={each: content for each, content in parts.files.items() if each != name}
    ).packed()


def _orphan(parts: Parts) -> bytes:
    return parts.with_file(f"results/{'0' * 64}.json", b"{}").packed()


MANIFESTS: Mapping[str, tuple[Make, str]] = {
    "created in the future": (
        manifest(put("9999-12-31T23:59:59Z", "created")),
        "manifest.json: was created on 9999-12-31T23:59:59Z, which is still to come",
    ),
    "created at no time": (
        manifest(put("2026-13-01T00:00:00Z", "created")),
        "manifest.json: created is '2026-13-01T00:00:00Z', and no time",
    ),
    "user in an address": (
        manifest(put("https://me:secret@example.org", "submitter", "url")),
        "manifest.json: an address has a user or a password in it; everyone could read it",
    ),
    "user in the model's address": (
        manifest(put("http://me@example.org/v1#m", "model", "reference")),
        "manifest.json: the model's address has a user or a password in it",
    ),
    "keys without end": (
        raw_manifest(b'{"format":"pommel-submission"' + b',"":0' * 250_000 + b"}"),
        "manifest.json: has more than 100,000 keys",
    ),
    # --- the manifest
    "another format": (
        manifest(put("zoo", "format")),
        'manifest.json: this is no manifest; it has to hold "format": "pommel-submission"',
    ),
    "manifest that is a list": (
        raw_manifest(b"[]"),
        'manifest.json: this is no manifest; it has to hold "format": "pommel-submission"',
    ),
    "future version": (
        manifest(put(3, "version")),
        (
            "manifest.json: is a submission of version 3, and this pommel knows versions up to 2; "
            "update pommel (`pip install --upgrade pommel`)"
        ),
    ),
    "version that is none": (
        manifest(put("1", "version")),
        "manifest.json: the version 1 is none; versions count up",
    ),
    "manifest that is no UTF-8": (
        raw_manifest(b'{"format": "\xff"}'),
        "manifest.json: the byte 12 is not UTF-8",
    ),
    "manifest that is no JSON": (
        raw_manifest(b"\x80\x04}\x94."),
        "manifest.json: the byte 0 is not UTF-8",
    ),
    "nested deep": (
        raw_manifest(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        "manifest.json: this JSON is nested too deep",
    ),
    "nested a little too deep": (
        manifest(put(json.loads("[" * 30 + "]" * 30), "model", "details")),
        "manifest.json: this JSON is nested too deep; 20 levels are read",
    ),
    "a number that no computer holds": (
        raw_manifest(b'{"version": ' + b"9" * 5000 + b"}"),
        "manifest.json: a whole number has 5,000 digits",
    ),
    "a float that no computer holds": (
        raw_manifest(b'{"version": 1e999}'),
        "manifest.json: the number 1e999 is too large",
    ),
    "NaN in the manifest": (raw_manifest(b'{"version": NaN}'), "manifest.json: NaN is not JSON"),
    "a key twice": (
        raw_manifest(b'{"version": 1, "version": 2}'),
        "manifest.json: the key 'version' is there twice",
    ),
    "half a surrogate pair": (
        raw_manifest(b'{"format": "pommel-submission", "version": 1, "a": "\\ud800"}'),
        "manifest.json: has half of a surrogate pair, which is no text",
    ),
    "a million wrong suites": (
        manifest(put([1] * 300_000, "suites")),
        (
            "manifest.json: this is no manifest: 300,000 are more than the 1,000 that are taken "
            "(at suites)"
        ),
    ),
    "a thousand wrong suites": (
        manifest(put([1] * 1_000, "suites")),
        "manifest.json: this is no manifest: 1 is not of type 'object' (at suites[0])",
    ),
    "unknown key": (
        manifest(put("os.system", "__reduce__")),
        (
            "manifest.json: this is no manifest: Additional properties are not allowed "
            "('__reduce__' was unexpected)"
        ),
    ),
    "unknown method": (
        manifest(put("magic", "policy", "method")),
        (
            "manifest.json: this is no manifest: 'magic' is not one of ['auto', 'causal', 'pll', "
            "'pll-word-l2r', 'masked-l2r', 'focus-mask', 'unmasked-ce', 'ngram'] (at policy.method)"
        ),
    ),
    "fingerprint of another policy": (
        manifest(put("0" * 16, "policy", "fingerprint")),
        "manifest.json: the policy's fingerprint is not that of the policy",
    ),
    "another policy than the tokens'": (
        manifest(put(policy_dict(bos="never", method="causal"), "policy")),
        f"{TOKENS}:1: its model or policy is not that of the manifest",
    ),
    "another model than the tokens'": (
        manifest(put("gpt-5", "model", "name")),
        f"{TOKENS}:1: its model or policy is not that of the manifest",
    ),
    "a link that is a program": (
        manifest(put("javascript:alert(1)", "submitter", "url")),
        "manifest.json: url cannot be 'javascript:alert(1)'; write https://...",
    ),
    "a name that steers a terminal": (
        manifest(put("\x1b[2Jgpt2", "submitter", "name")),
        (
            "manifest.json: name cannot be '\\x1b[2Jgpt2'; write one line, without blanks around "
            "it or characters that are not shown"
        ),
    ),
    "a name that is read backwards": (
        manifest(put("\u202egpt2", "submitter", "by")),
        (
            "manifest.json: by cannot be '\\u202egpt2'; write one line, without blanks around it "
            "or characters that are not shown"
        ),
    ),
    "a reference that steers a terminal": (
        manifest(put("gpt2\r", "model", "reference")),
        "manifest.json: the model's reference has characters that are not shown",
    ),
    **{
        f"a {key} that is read backwards": (
            manifest(put("\u202ex", "model", key)),
            f"manifest.json: the model's {key} has characters that are not shown",
        )
        for key in ("revision", "bos", "eos", "dtype", "device")
    },
    "a device of thousands of characters": (
        manifest(put("x" * 5000, "model", "device")),
        f"manifest.json: this is no manifest: '{'x' * 80}'… is too long (at model.device)",
    ),
    "an image that steers a terminal": (
        manifest(put(f"a\x1b@sha256:{'0' * 64}", "image_digest")),
        (
            f"manifest.json: this is no manifest: 'a\\x1b@sha256:{'0' * 64}' does not match "
            f"'^[!-?A-~]+@sha256:[0-9a-f]{{64}}(?!\\\\n)$' (at image_digest)"
        ),
    ),
    "a suite that steers a terminal": (
        manifest(put("1\x1b", "suites", 0, "version")),
        "manifest.json: the suite's version has characters that are not shown",
    ),
    "a pommel that steers a terminal": (
        manifest(put("1\x1b", "pommel")),
        "manifest.json: the version of pommel has characters that are not shown",
    ),
    "a name that nobody sees": (
        manifest(put("\u200d\u3164", "submitter", "name")),
        (
            "manifest.json: name cannot be '\\u200d\u3164'; write one line, without blanks around "
            "it or characters that are not shown"
        ),
    ),
    "a submitter whom nobody sees": (
        manifest(put("\u2026", "submitter", "by")),
        "manifest.json: by cannot be '\\u2026'; write a letter or digit",
    ),
    "a suite twice": (
        manifest(lambda found: found["suites"].append(found["suites"][0])),
        "manifest.json: has the suite 'agreement' twice",
    ),
    "a path as a suite's hash": (
        manifest(put("../" * 21 + "x", "suites", 0, "sha256")),
        (
            "manifest.json: this is no manifest: '../../../../../../../../../../../../../../../../"
            "../../../../../x' does not match '^[0-9a-f]{64}(?!\\\\n)$' (at suites[0].sha256)"
        ),
    ),
    # --- files and hashes
    "a file that is not in the manifest": (
        _undescribed_file,
        f"results/{'0' * 64}.json is not in the manifest",
    ),
    "a file of no suite": (_orphan, f"results/{'0' * 64}.json belongs to no suite of the manifest"),
    "a file that is missing": (_without(CLAIMS), f"{CLAIMS!r} is missing"),
    "no manifest": (_without("manifest.json"), "has no manifest.json"),
    "wrong hash": (
        manifest(put("0" * 64, "files", TOKENS, "sha256")),
        f"{TOKENS} has not the SHA-256 that the manifest says",
    ),
    "wrong size": (
        manifest(put(1, "files", TOKENS, "n_bytes")),
        f"{TOKENS} has {{size}} bytes, and the manifest says 1",
    ),
    "surprisals shifted, old hash": (
        lambda parts: parts.with_raw(TOKENS, parts.files[TOKENS].replace(b"3.0", b"4.0")).packed(),
        f"{TOKENS} has not the SHA-256 that the manifest says",
    ),
}
