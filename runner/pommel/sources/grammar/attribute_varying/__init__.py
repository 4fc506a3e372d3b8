"""Attribute-varying grammars: minimal sets from templates (Mueller et al. 2020, section 4.2)."""
