"""Settings of a process: flags over environment over `.env` over the defaults below.

Keys are held as `SecretStr`, so that no repr, log or traceback prints one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from dotenv.parser import parse_stream
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from jevbias.errors import UsageError

TYPESAFE_URL = "https://api.typesafe.ai"
OPENROUTER_URL = "https://openrouter.ai/api/v1"
OPENAI_URL = "https://api.openai.com/v1"
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
REASONING_EFFORTS: tuple[ReasoningEffort, ...] = get_args(ReasoningEffort)
"""How long a chat model may think before it answers, from not at all upwards."""
_FILE = ".env"


class Settings(BaseSettings):
    """What the environment says; every field names its variable in `.env.example`."""

    model_config = SettingsConfigDict(
        env_file=_FILE,
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
        frozen=True,
    )

    typesafe_api_key: SecretStr | None = Field(None, validation_alias="TYPESAFE_API_KEY")
    typesafe_base_url: str = Field(TYPESAFE_URL, validation_alias="TYPESAFE_BASE_URL")
    openrouter_api_key: SecretStr | None = Field(None, validation_alias="OPENROUTER_API_KEY")
    openrouter_base_url: str = Field(OPENROUTER_URL, validation_alias="OPENROUTER_BASE_URL")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str = Field(OPENAI_URL, validation_alias="OPENAI_BASE_URL")
    driver: str | None = Field(None, validation_alias="JEVBIAS_DRIVER")
    model: str | None = Field(None, validation_alias="JEVBIAS_MODEL")
    reasoning_effort: ReasoningEffort | None = Field(None, validation_alias="JEVBIAS_REASONING_EFFORT")
    db: str = Field("jevbias.db", validation_alias="JEVBIAS_DB")
    catalogue: Path | None = Field(None, validation_alias="JEVBIAS_CATALOGUE")
    seed: int = Field(20260920, ge=-(2**63), lt=2**63, validation_alias="JEVBIAS_SEED")
    workers: int = Field(8, ge=1, le=512, validation_alias="JEVBIAS_WORKERS")
    timeout: float | None = Field(None, gt=0, le=3600, validation_alias="JEVBIAS_TIMEOUT")
    max_attempts: int = Field(3, ge=1, le=100, validation_alias="JEVBIAS_MAX_ATTEMPTS")
    alpha: float = Field(0.05, gt=0, lt=1, validation_alias="JEVBIAS_ALPHA")
    margin: float = Field(0.02, gt=0, lt=1, validation_alias="JEVBIAS_MARGIN")
    threshold: float = Field(0.5, gt=0, lt=1, validation_alias="JEVBIAS_THRESHOLD")

    @field_validator("typesafe_api_key", "openrouter_api_key", "openai_api_key", mode="before")
    @classmethod
    def _blank_key_is_no_key(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value


def load_settings(**flags: object) -> Settings:
    """Read the settings; `flags` are command-line values, of which those that are None are left out.

    Raises UsageError in one line that names the variable (or flag), its value's fault and nothing else.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        _check_file(Path(_FILE))
        return Settings(**given)  # type: ignore[arg-type]
    except UnicodeDecodeError:
        raise UsageError(f"{_FILE}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{_FILE}: cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(_complaint(str(first["loc"][0]), first["msg"], given)) from None


def _complaint(place: str, fault: str, given: Mapping[str, object]) -> str:
    """What is wrong with a setting. The value is only shown where it was given as a flag: a key that ended up
    in another variable stays untold.
    """
    name = next(
        (key for key, field in Settings.model_fields.items() if place in (key, field.validation_alias)), place
    )
    allowed = _allowed(name)
    if name not in given:
        where = str(Settings.model_fields[name].validation_alias) if name in Settings.model_fields else place
        return f"{where}: not allowed; give {allowed}" if allowed else f"{where}: {fault}"
    flag = f"--{name.replace('_', '-')}"
    return f"{flag}: {given[name]} is not allowed; give {allowed}" if allowed else f"{flag}: {fault}"


def _allowed(name: str) -> str | None:
    """The range of a number or the words there are; None for a setting that takes any text."""
    if name == "reasoning_effort":
        return ", ".join(REASONING_EFFORTS)
    field = Settings.model_fields.get(name)
    bounds = {
        bound: value
        for constraint in (field.metadata if field else ())
        for bound in ("gt", "ge", "lt", "le")
        if (value := getattr(constraint, bound, None)) is not None
    }
    if "gt" in bounds:
        upper = f" and below {bounds['lt']:,}" if "lt" in bounds else f", at most {bounds['le']:,}"
        return f"a number above {bounds['gt']:,}{upper}"
    if "ge" in bounds:
        last = bounds["le"] if "le" in bounds else bounds["lt"] - 1
        return f"{bounds['ge']:,} to {last:,}"
    return None


def _check_file(path: Path) -> None:
    """Raises UsageError that names the first line which is no setting, and not what it says: a key that is
    not read would send the run to another model than its owner means.
    """
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for entry in parse_stream(lines):
            if entry.error:
                skipped = len(entry.original.string) - len(entry.original.string.lstrip("\n"))
                line = entry.original.line + skipped
                raise UsageError(f"{_FILE}:{line}: not of the form NAME=value; correct the line or remove it")
