"""Probes that are handed to a provider in batches: chunks, submission, looking after them, collection."""
