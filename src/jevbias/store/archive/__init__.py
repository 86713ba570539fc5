"""A run as one file, `<run>.jsonl.gz`, that any database can take in: verified, whole or not at all.

Each line is one JSON object that says in `record` what it is, in this order:

- `run`: the format's version, the run's own fields and the snapshot of its catalogue;
- `hypothesis` and `batch`, where there are any, and then every `person`;
- scenario by scenario every `frame` (a case with its questions), after it every `ask` of it (a person as the
  model is shown them), and after that every `probe` of that ask, with what was sent and what came back;
- `end`: how many of each there are, and the SHA-256 of all lines before it.

Nothing in it depends on the database it comes from, so one run has one archive, byte for byte.
"""
