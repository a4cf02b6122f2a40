"""Clients in TypeScript.

Each is compiled with a program that reads every operation, and, if its types are those of the JSON
itself, with the node's answers as literals of these types.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.generators.client import Client, Job
from tests.generators.operations import ROWS, Operation, pascal
from tests.generators.tools import joined

CONFIGURATION = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "lib": ["es2022", "dom", "dom.iterable"],
        "types": ["node"],
        "typeRoots": ["../node_modules/@types"],
    },
    "include": ["."],
}

PROGRAM = """\
%(imports)s
const base = process.env.SAMEDEAL_API as string;
%(prepare)s
const readings: [string, () => Promise<unknown>][] = [
%(readings)s];

async function shown(value: unknown): Promise<unknown> {
  if (value instanceof Response || value instanceof Blob) value = await value.arrayBuffer();
  if (!(value instanceof ArrayBuffer)) return value;
  return { file: Buffer.from(value).toString("hex") };
}

for (const [operation, read] of readings) {
  let line: object;
  try {
    line = { operation, value: await shown(await read()) };
  } catch (error) {
    line = { operation, error: String(error) };
  }
  const number = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  console.log(JSON.stringify(line, number));
}
"""


@dataclass(frozen=True)
class _Generator:
    """How a generator is called, and its client.

    Attributes:
        words: its command, with `{document}` and the folder `{out}`.
        imports: of the reading program.
        call: the expression that reads an operation.
        type: the type of its answer as JSON; without it, the client converts answers.
        imported: the imports of these types.
        prepare: statements before the first call.
    """

    words: Callable[[Job], list[str]]
    imports: str
    call: Callable[[Operation], str]
    type: Callable[[Operation], str] | None = None
    imported: str = ""
    prepare: str = ""


def _client(
    name: str, generator: _Generator, reads: Callable[[Operation], bool] = lambda _: True
) -> Client:
    async def make(job: Job) -> list[str]:
        await job.tools.run("generate", *generator.words(job), folder=job.folder)
        read = [each for each in job.operations if reads(each)]
        readings = joined(
            [f'  ["{each.name}", async () => {generator.call(each)}],' for each in read]
        )
        (job.folder / "read.ts").write_text(
            PROGRAM
            % {
                "imports": generator.imports,
                "prepare": generator.prepare,
                "readings": readings,
            }
        )
        if generator.type is not None:
            literals = [
                f"export const {each.name}Literal: {generator.type(each)} = "
                f"{json.dumps(each.answer)};"
                for each in read
                if not each.is_file
            ]
            (job.folder / "literals.ts").write_text(joined([generator.imported, *literals]))
        (job.folder / "tsconfig.json").write_text(json.dumps(CONFIGURATION))
        await job.tools.run("compile", job.tools.node("tsc"), "-p", str(job.folder))
        bundle = ("--bundle", "--platform=node", "--format=esm", "--log-level=error")
        output = "--outfile=read.mjs"
        esbuild = job.tools.node("esbuild")
        await job.tools.run("compile", esbuild, "read.ts", *bundle, output, folder=job.folder)
        return ["node", str(job.folder / "read.mjs")]

    return Client(name, make, reads)


def _values(operation: Operation) -> list[str]:
    """Return the values of fields in the path, and those of the query, as positional arguments."""
    found = [json.dumps(value) for value in operation.given.values()]
    return found + ([f"{{ count: {ROWS} }}"] if "count" in operation.query else [])


def _named(operation: Operation) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    if operation.given:
        found["path"] = dict(operation.given)
    if "count" in operation.query:
        found["query"] = {"count": ROWS}
    return found


def _called(operation: Operation) -> str:
    return f"{operation.name}({', '.join(_values(operation))})"


def _with_status(name: str) -> str:
    return f"Extract<Awaited<ReturnType<typeof {name}>>, {{ status: 200 }}>['data']"


def _openapi_fetch(operation: Operation) -> str:
    options: list[str] = []
    if named := _named(operation):
        options.append(f"params: {json.dumps(named)}")
    if operation.is_file:
        options.append('parseAs: "arrayBuffer"')
    given = f", {{ {', '.join(options)} }}" if options else ""
    return f'taken(await client.GET("{operation.path}"{given}))'


OPENAPI_TYPESCRIPT = _Generator(
    lambda job: [job.tools.node("openapi-typescript"), str(job.document), "-o", "schema.ts"],
    'import createClient from "openapi-fetch";\nimport type { paths } from "./schema";',
    _openapi_fetch,
    lambda each: f'paths["{each.path}"]["get"]["responses"][200]["content"]["application/json"]',
    'import type { paths } from "./schema";',
    """\
const client = createClient<paths>({ baseUrl: base });
function taken(answer: { data?: unknown; error?: unknown }): unknown {
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}
""",
)


def _orval(kind: str) -> Callable[[Job], list[str]]:
    return lambda job: [
        *(job.tools.node("orval"), "--input", str(job.document)),
        *("--output", "client.ts", "--client", kind),
    ]


# Its functions request paths, which a page would resolve.
_RELATIVE = """\
const fetched = globalThis.fetch;
globalThis.fetch = (url, init) => fetched(base + String(url), init);
"""

ORVAL = _Generator(
    _orval("fetch"),
    'import * as client from "./client";',
    lambda each: f"(await client.{_called(each)}).data",
    lambda each: _with_status(f"client.{each.name}"),
    'import * as client from "./client";',
    _RELATIVE,
)

ORVAL_ZOD = _Generator(
    _orval("zod"),
    'import * as schemas from "./client";',
    lambda each: (
        f"schemas.{pascal(each.name)}Response.parse("
        f"await (await fetch(base + {json.dumps(each.url)})).json())"
    ),
    lambda each: f"z.infer<typeof schemas.{pascal(each.name)}Response>",
    'import type { z } from "zod";\nimport * as schemas from "./client";',
)

OAZAPFTS = _Generator(
    lambda job: [job.tools.node("oazapfts"), str(job.document), "client.ts"],
    'import * as client from "./client";',
    lambda each: f"taken(await client.{_called(each)})",
    lambda each: _with_status(f"client.{each.name}"),
    'import * as client from "./client";',
    """\
client.defaults.baseUrl = base;
function taken(answer: { status: number; data?: unknown }): unknown {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.data;
}
""",
)


def _group(operation: Operation) -> str:
    first = operation.path.split("/")[1]
    return "openapiJson" if first == "openapi.json" else first


SWAGGER_TYPESCRIPT_API = _Generator(
    lambda job: [
        *(job.tools.node("swagger-typescript-api"), "generate", "-p", str(job.document)),
        *("-o", ".", "-n", "client.ts"),
    ],
    'import { Api } from "./client";',
    lambda each: (
        f"(await client.{_group(each)}.{each.name}("
        + ", ".join([*_values(each), *(['{ format: "blob" }'] if each.is_file else [])])
        + ")).data"
    ),
    lambda each: f"Awaited<ReturnType<Api<unknown>['{_group(each)}']['{each.name}']>>['data']",
    'import { Api } from "./client";',
    "const client = new Api({ baseUrl: base });",
)


def _hey_api(operation: Operation) -> str:
    options = json.dumps(_named(operation))[1:-1]
    given = ", ".join(["baseUrl: base", "throwOnError: true", *([options] if options else [])])
    read = f"(await client.{operation.name}({{ {given} }})).data"
    # Its schema of a file is that of a string.
    return read if operation.is_file else f"schemas.z{pascal(operation.name)}Response.parse({read})"


HEY_API = _Generator(
    lambda job: [
        *(job.tools.node("openapi-ts"), "-i", str(job.document), "-o", "client"),
        *("-c", "@hey-api/client-fetch", "-p", "@hey-api/typescript", "@hey-api/sdk", "zod"),
    ],
    'import * as client from "./client";\nimport * as schemas from "./client/zod.gen";',
    _hey_api,
    lambda each: f"types.{pascal(each.name)}Responses[200]",
    'import type * as types from "./client";',
)


def _fetched(operation: Operation) -> str:
    named: dict[str, object] = dict(operation.given)
    if "count" in operation.query:
        named["count"] = ROWS
    read = f"await client.{operation.name}({json.dumps(named) if named else ''})"
    return f"models.{operation.schema}ToJSON({read})" if operation.schema else read


OPENAPI_GENERATOR = _Generator(
    lambda job: [
        *(*job.tools.openapi_generator, "generate", "-i", str(job.document)),
        *("-g", "typescript-fetch", "-o", "client"),
    ],
    'import { Configuration, DefaultApi } from "./client";\nimport * as models from "./client";',
    _fetched,
    prepare="const client = new DefaultApi(new Configuration({ basePath: base }));",
)

CLIENTS = (
    _client("openapi-typescript", OPENAPI_TYPESCRIPT),
    _client("orval", ORVAL),
    _client("orval (zod)", ORVAL_ZOD, lambda each: not each.is_file),
    # It reads a file as text: see findings/oazapfts-files-as-text.sh.
    _client("oazapfts", OAZAPFTS, lambda each: not each.is_file),
    _client("swagger-typescript-api", SWAGGER_TYPESCRIPT_API),
    _client("hey-api (zod)", HEY_API),
    _client("openapi-generator (TypeScript)", OPENAPI_GENERATOR),
)
