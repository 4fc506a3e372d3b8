"""Results as one HTML file that opens offline: scores, curves, items, failures, provenance."""

from pommel.report.page.writing import write_report

__all__ = ["write_report"]
