"""Stored answers become a report."""
