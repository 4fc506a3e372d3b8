"""Plots of runs and of what analyses make of them, as Altair charts (Vega-Lite)."""
