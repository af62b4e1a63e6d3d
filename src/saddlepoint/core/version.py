"""The version, written into every artefact."""

VERSION = "0.1.0"
