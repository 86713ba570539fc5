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


def add_batches(connection: Connection) -> None:
    """Requests that a provider answers later, in batches, and the input tokens that its cache served."""
    sqlite = connection.dialect.name == "sqlite"
    row_id = "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT" if sqlite else "SERIAL PRIMARY KEY"
    for table in ("probe", "attempt"):
        connection.execute(text(f"ALTER TABLE {table} ADD COLUMN cached_tokens INTEGER"))
    connection.execute(
        text(
            f"""
            CREATE TABLE batch (
                id {row_id},
                run_id INTEGER NOT NULL,
                provider_id VARCHAR,
                content_hash VARCHAR NOT NULL,
                status VARCHAR NOT NULL,
                provider_status VARCHAR,
                requests INTEGER NOT NULL,
                answered INTEGER NOT NULL,
                unanswered INTEGER NOT NULL,
                cost FLOAT,
                created_at FLOAT NOT NULL,
                submitted_at FLOAT,
                collected_at FLOAT,
                error VARCHAR,
                CONSTRAINT status_allowed
                    CHECK (status IN ('submitting', 'submitted', 'collected', 'withdrawn')),
                FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
            )
            """
        )
    )
    connection.execute(text("CREATE INDEX batch_run ON batch (run_id)"))
    connection.execute(text("CREATE INDEX probe_batch ON probe (batch_id) WHERE batch_id IS NOT NULL"))


def add_calls(connection: Connection) -> None:
    """The requests of runs that have no plan."""
    sqlite = connection.dialect.name == "sqlite"
    row_id = "INTEGER NOT NULL PRIMARY KEY" if sqlite else "SERIAL PRIMARY KEY"
    content = "BLOB" if sqlite else "BYTEA"
    connection.execute(
        text(
            f"""
            CREATE TABLE call (
                id {row_id},
                run_id INTEGER NOT NULL,
                key VARCHAR NOT NULL,
                body {content} NOT NULL,
                body_sha256 VARCHAR NOT NULL,
                status VARCHAR NOT NULL,
                sends INTEGER NOT NULL,
                possibly_billed INTEGER NOT NULL,
                http_status INTEGER,
                fault VARCHAR,
                error VARCHAR,
                retry_after FLOAT,
                location VARCHAR,
                response {content},
                model_answered VARCHAR,
                request_id VARCHAR,
                latency_ms FLOAT,
                input_tokens INTEGER,
                output_tokens INTEGER,
                cost FLOAT,
                sent_at FLOAT NOT NULL,
                done_at FLOAT,
                UNIQUE (run_id, key),
                CONSTRAINT status_allowed CHECK (status IN ('sent', 'done')),
                FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
            )
            """
        )
    )


def add_episodes(connection: Connection) -> None:
    """What each arm of a collaboration run did, episode by episode."""
    sqlite = connection.dialect.name == "sqlite"
    row_id = "INTEGER NOT NULL PRIMARY KEY" if sqlite else "SERIAL PRIMARY KEY"
    connection.execute(
        text(
            f"""
            CREATE TABLE episode (
                id {row_id},
                run_id INTEGER NOT NULL,
                arm VARCHAR NOT NULL,
                level VARCHAR NOT NULL,
                number INTEGER NOT NULL,
                content {"BLOB" if sqlite else "BYTEA"} NOT NULL,
                UNIQUE (run_id, arm, level, number),
                FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
            )
            """
        )
    )
