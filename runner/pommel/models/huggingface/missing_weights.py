"""Which of a model's parameters its files really lack: those that its numbers depend on."""

from collections.abc import Iterable
from typing import Any

# A few different tokens: what none of them shows is not used.
_PROBE = (3, 5, 7, 4, 6, 3)


def needed_but_missing(network: Any, missing: Iterable[str]) -> list[str]:
    """Return those of the names `missing` whose random values would show in the logits, sorted.

    A parameter that is tied to one in the files has that one's values, and one that feeds nothing
    (the pooler of a network made to classify sentences) has no effect.
    """
    parameters = dict(network.named_parameters(remove_duplicate=False))
    own = [name for name in sorted(missing) if not _is_tied(name, parameters, set(missing))]
    if not own:
        return []
    return [] if _are_unused(network, own, parameters) else own


def _is_tied(name: str, parameters: dict[str, Any], missing: set[str]) -> bool:
    parameter = parameters.get(name)
    if parameter is None:
        return False
    return any(
        other is parameter or _same_memory(other, parameter)
        for other_name, other in parameters.items()
        if other_name not in missing
    )


def _same_memory(one: Any, other: Any) -> bool:
    there = one.data_ptr() != 0 and one.device == other.device
    return bool(there and one.data_ptr() == other.data_ptr() and one.shape == other.shape)


def _are_unused(network: Any, names: Iterable[str], parameters: dict[str, Any]) -> bool:
    """Say whether the logits stay numbers when these parameters are none, and leave them so."""
    import torch  # noqa: PLC0415 - an extra

    # An expert that no token of the probe is sent to may be another token's.
    if any(name not in parameters or ".experts." in name for name in names):
        return False
    n_known = network.get_input_embeddings().weight.shape[0]
    device = network.get_input_embeddings().weight.device
    ids = torch.tensor([[token_id % n_known for token_id in _PROBE]], device=device)
    inputs = {"input_ids": ids}
    if network.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids
    with torch.no_grad():
        for name in names:
            parameters[name].fill_(float("nan"))
        return not bool(network(**inputs).logits.isnan().any())
