"""Studies: published tables computed anew, and pipelines from rules to a report."""
