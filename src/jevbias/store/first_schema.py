"""The first schema, as the statements that create it. What is released never changes: later differences are
migrations of their own.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_WORDS = {
    "sqlite": {
        "run_id": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
        "id": "INTEGER NOT NULL PRIMARY KEY",
        "bytes": "BLOB",
        "keyed": "WITHOUT ROWID",
    },
    "postgresql": {
        "run_id": "SERIAL PRIMARY KEY",
        "id": "SERIAL PRIMARY KEY",
        "bytes": "BYTEA",
        "keyed": "",
    },
}

_STATEMENTS = (
    """
    CREATE TABLE run (
        id {run_id},
        name VARCHAR NOT NULL UNIQUE,
        kind VARCHAR NOT NULL,
        profile VARCHAR NOT NULL,
        design VARCHAR NOT NULL,
        seed BIGINT NOT NULL,
        driver VARCHAR NOT NULL,
        model VARCHAR NOT NULL,
        base_url VARCHAR NOT NULL,
        settings JSON NOT NULL,
        catalogue {bytes} NOT NULL,
        catalogue_hash VARCHAR NOT NULL,
        plan_hash VARCHAR NOT NULL,
        margin FLOAT NOT NULL,
        alpha FLOAT NOT NULL,
        status VARCHAR NOT NULL,
        created_at FLOAT NOT NULL,
        started_at FLOAT,
        finished_at FLOAT,
        jevbias_version VARCHAR NOT NULL,
        planned_by VARCHAR,
        CONSTRAINT status_allowed
            CHECK (status IN ('planning', 'planned', 'running', 'stopped', 'finished')),
        CONSTRAINT kind_allowed CHECK (kind IN ('bias', 'testbench', 'collab', 'battery'))
    )
    """,
    """
    CREATE TABLE person (
        id {id},
        run_id INTEGER NOT NULL,
        idx INTEGER NOT NULL,
        base INTEGER,
        is_anchor BOOLEAN NOT NULL,
        swapped_attribute VARCHAR,
        swapped_level VARCHAR,
        full_name VARCHAR NOT NULL,
        attributes JSON NOT NULL,
        age INTEGER,
        height_cm INTEGER,
        weight_kg INTEGER,
        UNIQUE (run_id, idx),
        FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE frame (
        id {id},
        run_id INTEGER NOT NULL,
        scenario VARCHAR NOT NULL,
        variant VARCHAR NOT NULL,
        hash VARCHAR NOT NULL,
        content {bytes} NOT NULL,
        UNIQUE (run_id, hash),
        FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE ask (
        id {id},
        run_id INTEGER NOT NULL,
        frame_id INTEGER NOT NULL,
        hash VARCHAR NOT NULL,
        person {bytes} NOT NULL,
        UNIQUE (run_id, hash),
        FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE,
        FOREIGN KEY (frame_id) REFERENCES frame (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX ask_frame ON ask (frame_id)",
    """
    CREATE TABLE probe (
        id {id},
        run_id INTEGER NOT NULL,
        position INTEGER NOT NULL,
        person_id INTEGER NOT NULL,
        ask_id INTEGER NOT NULL,
        scenario VARCHAR NOT NULL,
        variant VARCHAR NOT NULL,
        condition VARCHAR NOT NULL,
        replicate INTEGER NOT NULL,
        status VARCHAR NOT NULL,
        attempts INTEGER NOT NULL,
        last_attempt INTEGER NOT NULL,
        lease_owner VARCHAR,
        lease_until FLOAT,
        not_before FLOAT,
        error_kind VARCHAR,
        error VARCHAR,
        response {bytes},
        model_answered VARCHAR,
        request_id VARCHAR,
        latency_ms FLOAT,
        input_tokens INTEGER,
        output_tokens INTEGER,
        cost FLOAT,
        batch_id INTEGER,
        answered_at FLOAT,
        UNIQUE (run_id, person_id, scenario, condition, replicate, variant),
        CONSTRAINT status_allowed
            CHECK (status IN ('pending', 'running', 'answered', 'refused', 'malformed', 'failed')),
        FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE,
        FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE,
        FOREIGN KEY (ask_id) REFERENCES ask (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX probe_pending ON probe (run_id, position) WHERE status = 'pending'",
    "CREATE INDEX probe_running ON probe (run_id, lease_until) WHERE status = 'running'",
    "CREATE INDEX probe_person ON probe (person_id)",
    "CREATE INDEX probe_ask ON probe (ask_id)",
    """
    CREATE TABLE attempt (
        probe_id INTEGER NOT NULL,
        number INTEGER NOT NULL,
        started_at FLOAT NOT NULL,
        duration_ms FLOAT,
        outcome VARCHAR,
        http_status INTEGER,
        body_sha256 VARCHAR,
        possibly_billed BOOLEAN NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        cost FLOAT,
        response {bytes},
        PRIMARY KEY (probe_id, number),
        FOREIGN KEY (probe_id) REFERENCES probe (id) ON DELETE CASCADE
    ) {keyed}
    """,
    """
    CREATE TABLE answer (
        probe_id INTEGER NOT NULL,
        question VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        value FLOAT NOT NULL,
        favourability FLOAT NOT NULL,
        confidence FLOAT,
        flags VARCHAR NOT NULL,
        PRIMARY KEY (probe_id, question),
        CONSTRAINT value_in_unit_interval CHECK (value >= 0 AND value <= 1),
        CONSTRAINT favourability_in_unit_interval CHECK (favourability >= 0 AND favourability <= 1),
        FOREIGN KEY (probe_id) REFERENCES probe (id) ON DELETE CASCADE
    ) {keyed}
    """,
)


def first_schema(connection: Connection) -> None:
    """Runs, people, frames, asks, probes, attempts and answers."""
    words = _WORDS[connection.dialect.name]
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**words)))
