"""Which models a server has, as it says under `/models`, and which of them is meant."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pommel.errors import ModelNotAvailableError, listed, nearest, printable
from pommel.models.endpoint.client import Client, RequestFailedError
from pommel.models.endpoint.manner import Manner
from pommel.models.endpoint.reference import EndpointReference

# Servers without such a list.
_NO_LIST = frozenset({404, 405, 501})
# What describes a model; the rest are times, permissions and other things of the moment.
_LASTING = ("id", "root", "parent", "owned_by", "max_model_len", "context_length")
_LASTING_META = ("n_params", "n_vocab", "n_embd", "n_ctx_train", "size", "vocab_type")
_LIMITS = ("max_model_len", "context_length")
_SHOWN = 10
_SHOWN_CHARACTERS = 80
# To look for the nearest of tens of thousands takes seconds.
_COMPARED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One model of a server; `said` is what the server's list says of it, without times."""

    model: str
    server: str | None = None
    said: Mapping[str, Any] = field(default_factory=dict)

    @property
    def owner(self) -> str | None:
        """Who the list says the model belongs to: servers write their own name there."""
        owner = self.said.get("owned_by")
        return owner if isinstance(owner, str) and owner else None

    @property
    def max_tokens(self) -> int | None:
        """How long a prompt may be, with the token that is generated."""
        return next((n for name in _LIMITS if (n := _number(self.said.get(name)))), None)

    @property
    def n_parameters(self) -> int | None:
        """How many weights the model has, if the server tells."""
        meta = self.said.get("meta")
        return _number(meta.get("n_params")) if isinstance(meta, dict) else None

    def fingerprint(self, reference: EndpointReference, manner: Manner) -> str:
        """The SHA-256 over what decides the numbers, as far as it can be known.

        That is the address, the model and what is said of it, and how a sentence is asked for.
        Weights are not seen.
        """
        way = manner.usual
        asked = [manner.protocol.name, reference.bos, list(way.front), way.is_first_scored]
        parts = [reference.base_url, self.model, self.said, asked]
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


async def find_served(client: Client, reference: EndpointReference) -> Served:
    """Return the model that a reference names, or the only one that there is.

    A server without a list is believed to have what the reference names. Raises
    `ModelNotAvailableError` if the model is not there, or none is named and there are several, and
    `RequestFailedError`.
    """
    try:
        answer = await client.get(f"{reference.base_url}/models")
    except RequestFailedError as failure:
        if failure.status not in _NO_LIST:
            raise
        if reference.model is None:
            raise ModelNotAvailableError(
                f"{reference.text}: it does not list its models ({failure.reason}); write "
                f"{reference.base_url}#MODEL"
            ) from None
        return Served(model=reference.model)
    models = _models(answer.value)
    if models is None:
        raise ModelNotAvailableError(
            f"{reference.text}: {reference.base_url}/models is no list of models; is this an "
            "OpenAI-compatible server?"
        )
    name = _meant(models, reference)
    return Served(model=name, server=answer.server, said=_lasting(models[name]))


def _models(value: Any) -> dict[str, dict[str, Any]] | None:
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        return None
    return {each["id"]: each for each in data if isinstance(each, dict) and _has_name(each)}


def _has_name(model: Mapping[str, Any]) -> bool:
    """Say whether a model has a name that can be asked for: text, without half of a pair."""
    name = model.get("id")
    return isinstance(name, str) and name == name.encode(errors="replace").decode()


def _meant(models: Mapping[str, Any], reference: EndpointReference) -> str:
    if reference.model is not None and reference.model in models:
        return reference.model
    if reference.model is None and len(models) == 1:
        return next(iter(models))
    names = [printable(name[:_SHOWN_CHARACTERS]) for name in models]
    shown = listed(names, most=_SHOWN)
    if reference.model is None:
        what = f"it has {len(names)} models ({shown})" if names else "it has no model"
        raise ModelNotAvailableError(f"{reference.text}: {what}; write {reference.base_url}#MODEL")
    meant = nearest(reference.model, names[:_COMPARED])
    suggestion = f" (did you mean {meant}?)" if meant else ""
    raise ModelNotAvailableError(
        f"{reference.text}: it has no model {reference.model!r}{suggestion}; "
        f"it has: {shown or 'none'}"
    )


def _lasting(said: Mapping[str, Any]) -> dict[str, Any]:
    lasting = {name: said[name] for name in _LASTING if said.get(name) is not None}
    meta = said.get("meta")
    if isinstance(meta, dict):
        lasting["meta"] = {name: meta[name] for name in _LASTING_META if name in meta}
    return lasting


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
