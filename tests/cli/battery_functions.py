"""Functions that score, well and badly, as a user might write them."""

from __future__ import annotations

MODULE = """
import asyncio
import math
import sys

calls = 0

def length(prompt, reply):
    global calls
    calls += 1
    return 100.0 * reply.startswith("WITH") - len(reply)

async def waiting(prompt, reply):
    return len(reply)

def breaking(prompt, reply):
    if reply.startswith("WITH"):
        raise KeyError("no such voice")
    return 1.0

def unfit(prompt, reply):
    return {0: math.nan, 1: math.inf, 2: "good", 3: None, 4: True}.get(len(reply) % 7, 1.5)

def one(prompt):
    return 0

def stops(prompt, reply):
    raise StopIteration(3)

async def cancels(prompt, reply):
    raise asyncio.CancelledError

def exits(prompt, reply):
    sys.exit(3)

class Unsayable(Exception):
    def __str__(self):
        raise RuntimeError

def unsayable(prompt, reply):
    raise Unsayable

class Waiting:
    async def __call__(self, prompt, reply):
        return len(reply)

waits = Waiting()

def promises(prompt, reply):
    return asyncio.sleep(0, len(reply))
"""
