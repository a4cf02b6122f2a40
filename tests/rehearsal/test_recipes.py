"""What the rehearsal relies on, without containers."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from tests.deploy.composed import compose
from tests.rehearsal import base_images
from tests.rehearsal.podman import OVERRIDES
from tests.rehearsal.site import recipe
from tests.rehearsal.steps import RECIPES, SERVICES


@pytest.mark.parametrize(("section", "number"), RECIPES)
def test_a_block_that_is_carried_out_is_in_the_document(section: str, number: int) -> None:
    assert "docker " in recipe(section, number)


def test_words_of_a_block_are_replaced_whole() -> None:
    block = recipe("One container", 0, {"samedeal": "other"})
    assert "--volume other:/data" in block
    assert "samedeal" not in block


def test_the_services_of_the_compose_file_are_all_rehearsed() -> None:
    services = compose()["services"]
    assert {*SERVICES, "certify"} == services.keys()
    assert YAML(typ="safe").load(OVERRIDES)["services"].keys() == services.keys()


def test_there_is_a_stand_in_for_each_image_of_a_registry() -> None:
    assert base_images.wanted().keys() == base_images.STAGES.keys()
