"""Container images with models: made, built, checked."""
