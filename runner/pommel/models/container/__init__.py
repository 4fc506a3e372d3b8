"""Models in container images that speak the protocol of the LM Zoo, version 1 or 2."""
