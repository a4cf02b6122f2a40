"""Clients in Go and Rust, made by openapi-generator."""

from __future__ import annotations

import json
import re

from tests.generators.client import Client, Job
from tests.generators.operations import ROWS, Operation, pascal, snake
from tests.generators.tools import StepError, joined

GO = """\
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"

	client "%(module)s"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("SAMEDEAL_API")}}
	api := client.NewAPIClient(configuration).DefaultAPI
	ctx := context.Background()
%(readings)s}

func show(operation string, value any, err error) {
	line := map[string]any{"operation": operation}
	if err != nil {
		line["error"] = err.Error()
	} else if file, is := value.(*os.File); is {
		content, _ := io.ReadAll(file)
		os.Remove(file.Name())
		line["value"] = map[string]string{"file": hex.EncodeToString(content)}
	} else {
		line["value"] = value
	}
	json.NewEncoder(os.Stdout).Encode(line)
}
"""

RUST = """\
use %(crate)s::apis::{configuration::Configuration, default_api as api};
use serde_json::{json, Value};
use std::fmt::Debug;

fn show<E: Debug>(operation: &str, read: Result<Value, E>) {
    let line = match read {
        Ok(value) => json!({ "operation": operation, "value": value }),
        Err(error) => json!({ "operation": operation, "error": format!("{error:?}") }),
    };
    println!("{line}");
}

async fn hex(file: reqwest::Response) -> Value {
    let content = file.bytes().await.unwrap();
    json!({ "file": content.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut configuration = Configuration::new();
    configuration.base_path = std::env::var("SAMEDEAL_API").unwrap();
%(readings)s}
"""

MODULE = "example.org/generated"

CRATES = (
    *("librust-reqwest-dev", "librust-serde-dev", "librust-serde-json-dev"),
    *("librust-serde-repr-dev", "librust-tokio-dev", "librust-url-dev"),
)
"""Debian's packages of the Rust client's dependencies."""

VALIDATOR = "gopkg.in/validator.v2"
"""The Go client's only dependency."""

STAND_IN = """\
package validator

func Validate(any) error { return nil }
"""
"""A stand-in for it without a proxy of modules: the client validates only numbers and words, for
which the real one has no rules either. Debian 12's version is too old for the client."""


async def _go(job: Job) -> list[str]:
    tools = job.tools
    await tools.run(
        *("generate", *tools.openapi_generator, "generate", "-i", str(job.document)),
        *("-g", "go", "-o", ".", "--additional-properties=packageName=generated"),
        folder=job.folder,
    )
    module = job.folder / "go.mod"
    module.write_text(re.sub("^module .*", f"module {MODULE}", module.read_text()))
    (job.folder / "read").mkdir()
    readings = []
    for each in job.operations:
        given = ", ".join(["ctx", *map(json.dumps, each.given.values())])
        rows = f".Count({ROWS})" if "count" in each.query else ""
        called = f"value, _, err := api.{pascal(each.name)}({given}){rows}.Execute()"
        readings.append(f'\t{{\n\t\t{called}\n\t\tshow("{each.name}", value, err)\n\t}}')
    text = GO % {"module": MODULE, "readings": joined(readings)}
    (job.folder / "read" / "main.go").write_text(text)
    home = str(tools.folder / "go")
    env = {
        "GOPATH": home,
        "GOCACHE": f"{home}/cache",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=mod",
    }
    go = tools.python("go")
    try:
        await tools.run("compile", go, "mod", "download", folder=job.folder, env=env)
    except StepError:
        source = job.folder / "validator"
        source.mkdir()
        (source / "go.mod").write_text(f"module {VALIDATOR}\n\ngo 1.18\n")
        (source / "validator.go").write_text(STAND_IN)
        replaced = f"-replace={VALIDATOR}={source}"
        await tools.run("compile", go, "mod", "edit", replaced, folder=job.folder, env=env)
    await tools.run("compile", go, "build", ".", folder=job.folder, env=env)
    await tools.run("compile", go, "build", "-o", "reader", "./read", folder=job.folder, env=env)
    return [str(job.folder / "reader")]


async def _rust(job: Job) -> list[str]:
    await job.tools.run(
        *("generate", *job.tools.openapi_generator, "generate", "-i", str(job.document)),
        *("-g", "rust", "-o", ".", "--additional-properties=packageName=generated"),
        folder=job.folder,
    )
    program = job.folder / "src" / "bin" / "read.rs"
    program.parent.mkdir()
    readings = joined([_rust_reading(each) for each in job.operations])
    program.write_text(RUST % {"crate": "generated", "readings": readings})
    manifest = job.folder / "Cargo.toml"
    text = manifest.read_text()
    tokio = 'tokio = { version = "1", features = ["macros", "rt"] }\n'
    manifest.write_text(text.replace("[dependencies]\n", f"[dependencies]\n{tokio}"))
    try:
        await job.tools.run("compile", "cargo", "fetch", "--quiet", folder=job.folder)
    except StepError:
        await _use_debians_crates(job)
    await job.tools.run("compile", "cargo", "build", "--quiet", "--offline", folder=job.folder)
    return [str(job.folder / "target" / "debug" / "read")]


def _rust_reading(operation: Operation) -> str:
    given = ["&configuration", *map(json.dumps, operation.given.values())]
    given += [f"Some({ROWS})" if name == "count" else "None" for name in operation.query]
    call = f"api::{snake(operation.name)}({', '.join(given)}).await"
    if operation.is_file:
        read = f"match {call} {{ Ok(file) => Ok(hex(file).await), Err(error) => Err(error) }}"
        return f'    show("{operation.name}", {read});'
    return f'    show("{operation.name}", {call}.map(|value| json!(value)));'


async def _use_debians_crates(job: Job) -> None:
    """Compile with the versions of Debian's packages, without TLS, which the node does not use."""
    registry = await job.tools.crates(*CRATES)
    (job.folder / ".cargo").mkdir()
    (job.folder / ".cargo" / "config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{registry}"\n'
    )
    manifest = job.folder / "Cargo.toml"
    text = re.sub(
        r'^(url|reqwest)( = (?:{ version = )?)"[^"]*"', r'\1\2"*"', manifest.read_text(), flags=re.M
    )
    # Features that its version does not have, and TLS.
    text = re.sub(r"^(reqwest = .*features = )\[.*\]", r'\1["json"]', text, flags=re.M)
    manifest.write_text(text.partition("[features]")[0])


CLIENTS = (
    Client("openapi-generator (Go)", _go),
    Client("openapi-generator (Rust)", _rust),
)
