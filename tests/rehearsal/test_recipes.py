"""The rehearsal's assumptions, tested without containers."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from tests.deploy.composed import compose
from tests.rehearsal import base_images
from tests.rehearsal.podman import OVERRIDES
from tests.rehearsal.site import recipe
from tests.rehearsal.steps import RECIPES, SERVICES


@pytest.mark.parametrize(("section", "number"), RECIPES)
def test_the_document_has_every_block_that_is_run(section: str, number: int) -> None:
    assert "docker " in recipe(section, number)


def test_words_of_a_block_are_replaced_whole() -> None:
    block = recipe("One container", 0, {"samedeal": "other"})
    assert "--volume other:/data" in block
    assert "samedeal" not in block


def test_all_services_of_the_compose_file_are_rehearsed() -> None:
    services = compose()["services"]
    assert {*SERVICES, "certify"} == services.keys()
    assert YAML(typ="safe").load(OVERRIDES)["services"].keys() == services.keys()


def test_each_registry_image_has_a_stand_in() -> None:
    assert base_images.wanted().keys() == base_images.STAGES.keys()
