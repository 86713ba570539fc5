"""The logs of episodes: kept once, in order, and gone with their run."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, func, select

from jevbias.store.bench_runs import create_bench_run
from jevbias.store.call_tables import EPISODE
from jevbias.store.connections import reading, writing
from jevbias.store.episodes import add_episode, list_episodes
from jevbias.store.runs import delete_run


def bench(engine: Engine, name: str) -> int:
    run = create_bench_run(
        engine, kind="collab", name=name, driver="jev", model="m", base_url="u", seed=1, settings={}
    )
    assert run.id is not None
    return run.id


def log(arm: str, number: int, **more: Any) -> dict[str, Any]:
    return {"arm": arm, "level": "easy", "number": number, **more}


def test_an_episode_is_kept_as_it_first_came_and_listed_in_order(engine: Engine) -> None:
    mine, other = bench(engine, "mine"), bench(engine, "other")
    with writing(engine) as connection:
        for entry in (log("b", 1), log("a", 10, steps=[{"é": None}]), log("a", 2)):
            add_episode(connection, mine, entry)
        add_episode(connection, mine, log("a", 2, again=True))
        add_episode(connection, other, log("a", 2))
    with reading(engine) as connection:
        assert list_episodes(connection, mine) == [
            log("a", 2),
            log("a", 10, steps=[{"é": None}]),
            log("b", 1),
        ]


def test_the_episodes_of_a_deleted_run_are_gone(engine: Engine) -> None:
    mine = bench(engine, "mine")
    with writing(engine) as connection:
        add_episode(connection, mine, log("a", 1))
    delete_run(engine, "mine")
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(EPISODE)).scalar() == 0
