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
    if module_name.endswith(".py") or "/" in module_name:
        plain = one_line(module_name.removesuffix(".py").rpartition("/")[2], 80)
        raise TaskError(
            f"{flag}: '{one_line(name, 80)}' names a file, not a module; in the folder of {plain}.py give "
            f"{plain}:{member}"
        )
    try:
        folder = os.getcwd()
        if folder not in sys.path:
            sys.path.insert(0, folder)
        found = getattr(importlib.import_module(module_name), member)
        return found() if inspect.isclass(found) else found
    except ModuleNotFoundError as error:
        missing = error.name if isinstance(error.name, str) else ""
        if not missing:
            raise _broken(flag, name, error) from error
        if f"{module_name}.".startswith(f"{missing}."):
            raise TaskError(
                f"{flag}: there is no module '{one_line(module_name, 80)}' in this folder or among those "
                "installed"
            ) from None
        raise TaskError(
            f"{flag}: module '{one_line(module_name, 80)}' needs '{one_line(missing, 80)}', which is not "
            "installed"
        ) from None
    except AttributeError as error:
        if error.name == member and inspect.ismodule(error.obj):
            raise TaskError(f"{flag}: module '{one_line(module_name, 80)}' has no '{member}'") from None
        raise _broken(flag, name, error) from error
    except BaseException as error:
        if is_users_interrupt(error):
            raise
        raise _broken(flag, name, error) from error


def _broken(flag: str, name: str, error: BaseException) -> TaskError:
    return TaskError(f"{flag} {one_line(name, 80)}: cannot be loaded: {described(error)}")
