"""Finding what a user wrote by its name, `module:Class`: every way in which that fails is one line."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from typing import Any

from jevbias.collab.foreign_errors import described, is_users_interrupt
from jevbias.drivers.failures import one_line
from jevbias.errors import TaskError


def load_member(flag: str, name: str, besides: str) -> Any:
    """What `flag` names, looked for as Python does and in this folder; a class is called without arguments.

    `besides` says what else may be given. Raises TaskError.
    """
    module_name, separator, member = name.partition(":")
    if not separator or not module_name or not member.isidentifier():
        raise TaskError(f"{flag}: '{one_line(name, 80)}' is neither {besides} nor of the form module:Class")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module_name), member)
        return found() if inspect.isclass(found) else found
    except ModuleNotFoundError as error:
        if error.name is not None and module_name.split(".")[0] == error.name.split(".")[0]:
            raise TaskError(
                f"{flag}: there is no module '{module_name}' here or among those installed"
            ) from None
        raise TaskError(
            f"{flag}: module '{module_name}' needs '{error.name}', which is not installed"
        ) from None
    except AttributeError as error:
        if error.name == member and inspect.ismodule(error.obj):
            raise TaskError(f"{flag}: module '{module_name}' has no '{member}'") from None
        raise _broken(flag, name, error) from error
    except BaseException as error:
        if is_users_interrupt(error):
            raise
        raise _broken(flag, name, error) from error


def _broken(flag: str, name: str, error: BaseException) -> TaskError:
    return TaskError(f"{flag} {one_line(name, 80)}: cannot be loaded: {described(error)}")
