"""What changed since the first schema: one function for each change, in the order of their numbers."""

from __future__ import annotations

from sqlalchemy import Connection, text


def add_hypotheses(connection: Connection) -> None:
    """What a confirmatory run froze before its first call."""
    keyed = "WITHOUT ROWID" if connection.dialect.name == "sqlite" else ""
    connection.execute(
        text(
            f"""
            CREATE TABLE hypothesis (
                run_id INTEGER NOT NULL,
                comparison VARCHAR NOT NULL,
                position INTEGER NOT NULL,
                direction VARCHAR NOT NULL,
                margin FLOAT NOT NULL,
                alpha FLOAT NOT NULL,
                frozen_hash VARCHAR NOT NULL,
                frozen_at FLOAT NOT NULL,
                source_run VARCHAR NOT NULL,
                PRIMARY KEY (run_id, comparison),
                CONSTRAINT direction_allowed CHECK (direction IN ('down', 'up')),
                FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
            ) {keyed}
            """
        )
    )


def add_stop_reason(connection: Connection) -> None:
    """Why a run stopped before its end, so that `status` can say it later."""
    connection.execute(text("ALTER TABLE run ADD COLUMN stop_reason VARCHAR"))
