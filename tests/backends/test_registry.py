"""Backends are found by name, and imported only when somebody asks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from guildmoot.backends import BACKENDS, get_backend, traits_of
from guildmoot.errors import UsageError


@pytest.mark.parametrize("name", BACKENDS)
def test_every_listed_backend_answers_to_its_name(name: str) -> None:
    assert get_backend(name).name == name
    assert get_backend(name) is get_backend(name)


def test_an_unknown_backend_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        get_backend("scriptd")
    assert "'scriptd'" in caught.value.message
    assert "'scripted'" in caught.value.hint


def test_a_name_cannot_reach_another_module() -> None:
    with pytest.raises(UsageError):
        get_backend("process")


def test_knowing_the_backends_imports_none_of_them() -> None:
    script = "import sys, guildmoot.backends; print('asyncio' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize("name", BACKENDS)
def test_the_traits_of_a_backend_agree_with_each_other(name: str) -> None:
    traits = traits_of(name)
    assert not (traits.free and (traits.provider or traits.pure or traits.schema))
    assert not (traits.is_tool and (traits.takes_model or traits.works))
    assert traits.is_client == bool(traits.overhead_tokens)
    assert traits.is_client <= bool(traits.provider)
