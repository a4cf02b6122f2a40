"""Clients in Python. Each module of a package is imported, which builds its types."""

from __future__ import annotations

import json

from tests.generators.client import Client, Job
from tests.generators.operations import ROWS, Operation, snake
from tests.generators.tools import joined

PROGRAM = """\
import json, os, urllib.request
%(imports)s

base = os.environ["SAMEDEAL_API"]
%(prepare)s

def shown(value):
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (bytes, bytearray)):
        return {"file": value.hex()}
    return value

readings = [
%(readings)s]
for operation, read in readings:
    try:
        line = {"operation": operation, "value": shown(read())}
    except Exception as error:
        line = {"operation": operation, "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line))
"""

IMPORT_ALL = """\
import importlib, pkgutil, {package}
for each in pkgutil.walk_packages({package}.__path__, "{package}."):
    importlib.import_module(each.name)
"""


async def _program(job: Job, imports: str, prepare: str, readings: dict[str, str]) -> list[str]:
    """Write the reading program, and return its command."""
    lines = joined([f'    ("{name}", lambda: {call}),' for name, call in readings.items()])
    program = job.folder / "read.py"
    program.write_text(
        PROGRAM % {"imports": imports, "prepare": prepare, "readings": lines}, encoding="utf-8"
    )
    return [job.tools.python("python"), str(program)]


async def _import(job: Job, code: str) -> None:
    await job.tools.run("compile", job.tools.python("python"), "-c", code, folder=job.folder)


def _arguments(operation: Operation) -> str:
    # By position: a generator renames those that are named like a type.
    found = [json.dumps(value) for value in operation.given.values()]
    return ", ".join(found + ([f"count={ROWS}"] if "count" in operation.query else []))


async def _openapi_python_client(job: Job) -> list[str]:
    # It knows only `application/octet-stream` as the type of files. Its default name is also that
    # of our library.
    settings = {
        "package_name_override": "generated",
        "content_type_overrides": {"application/gzip": "application/octet-stream"},
        "post_hooks": [],  # they format
    }
    (job.folder / "settings.json").write_text(json.dumps(settings))
    await job.tools.run(
        *("generate", job.tools.python("openapi-python-client"), "generate", "--fail-on-warning"),
        *("--path", str(job.document), "--config", "settings.json", "--meta", "none"),
        folder=job.folder,
    )
    await _import(job, IMPORT_ALL.format(package="generated"))
    names = [snake(each.name) for each in job.operations]
    imports = joined([f"from generated.api.default import {name}" for name in names])
    readings = {}
    for each, name in zip(job.operations, names, strict=True):
        arguments = ", ".join(filter(None, [_arguments(each), "client=client"]))
        call = f"{name}.sync({arguments})"
        readings[each.name] = f"{call}.payload" if each.is_file else f"{call}.to_dict()"
    prepare = "client = Client(base_url=base, raise_on_unexpected_status=True)"
    return await _program(job, f"{imports}from generated import Client", prepare, readings)


async def _datamodel_code_generator(job: Job) -> list[str]:
    await job.tools.run(
        *("generate", job.tools.python("datamodel-codegen"), "--input", str(job.document)),
        *("--input-file-type", "openapi", "--output", "models.py"),
        *("--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin"),
        folder=job.folder,
    )
    await _import(job, "import models")
    readings = {
        each.name: f"parsed(models.{each.schema}, {json.dumps(each.url)})"
        for each in job.operations
        if _has_model(each)
    }
    prepare = """\
def parsed(model, url):
    with urllib.request.urlopen(base + url) as answer:
        found = model.model_validate_json(answer.read())
    return found.model_dump(mode="json", by_alias=True, exclude_unset=True)
"""
    return await _program(job, "import models", prepare, readings)


def _has_model(operation: Operation) -> bool:
    return bool(operation.schema)


async def _openapi_generator(job: Job) -> list[str]:
    await job.tools.run(
        *("generate", *job.tools.openapi_generator, "generate", "-i", str(job.document)),
        *("-g", "python", "-o", ".", "--additional-properties=packageName=generated"),
        folder=job.folder,
    )
    await _import(job, IMPORT_ALL.format(package="generated"))
    readings = {}
    for each in job.operations:
        call = f"api.{snake(each.name)}({_arguments(each)})"
        readings[each.name] = f"json.loads({call}.to_json())" if each.schema else call
    prepare = "api = generated.DefaultApi(generated.ApiClient(generated.Configuration(host=base)))"
    return await _program(job, "import generated", prepare, readings)


CLIENTS = (
    Client("openapi-python-client", _openapi_python_client),
    Client("datamodel-code-generator", _datamodel_code_generator, _has_model),
    Client("openapi-generator (Python)", _openapi_generator),
)
