"""From any figure of a report back to the answers behind it."""
