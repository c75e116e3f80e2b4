"""Writes the TypeScript client from the OpenAPI document: types, and a method an operation.

`python scripts/client.py FOLDER` writes `schema.ts` and `saniwa.ts` there.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEAD = """/**
 * A client of Saniwa's HTTP door, written from its OpenAPI document: a method an operation.
 * Do not edit; `make client` writes it anew.
 */

import type { operations } from "./schema";

type Given<Part, Name extends string> = Part extends { [N in Name]: infer Value } ? Value : never;
type Parameters<Op> = Given<Op, "parameters">;
type Body<Op> = Op extends { requestBody: { content: { "application/json": infer Value } } }
  ? { body: Value }
  : Op extends { requestBody?: { content: { "application/json": infer Value } } }
    ? { body?: Value }
    : unknown;
type Path<Op> = [NonNullable<Given<Parameters<Op>, "path">>] extends [never]
  ? unknown
  : { path: Given<Parameters<Op>, "path"> };
type Query<Op> = Parameters<Op> extends { query?: infer Value } ? { query?: Value } : unknown;
type Seen<Op> = Parameters<Op> extends { header: { "If-Match": string } }
  ? { revision: number; key?: string }
  : { key?: string };

/** What an operation takes. */
export type Takes<Name extends keyof operations> = Path<operations[Name]> &
  Query<operations[Name]> &
  Body<operations[Name]> &
  Seen<operations[Name]>;

type Good = 200 | 201 | 204;
type Answers<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All & Good]: All[Status] extends { content: { "application/json": infer Value } } ? Value : void }[keyof All & Good]
  : never;

/** What an operation answers with. */
export type Gives<Name extends keyof operations> = Answers<operations[Name]>;

/** An answer that says no: `code` says why, `hint` what to do. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly hint: string,
    readonly details: Record<string, unknown>,
  ) {
    super(detail);
  }
}

type Asked = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  revision?: number;
  key?: string;
};

/** A server, asked. */
export class Saniwa {
  /** The server's address, and `NAME:SECRET` where it asks for a credential. */
  constructor(
    readonly address: string,
    private readonly credential = "",
  ) {}

  private async ask<T>(method: string, path: string, asked: Asked): Promise<T> {
    const filled = path.replace(/\\{(\\w+)\\}/g, (_, name: string) =>
      encodeURIComponent(String(asked.path?.[name])),
    );
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(asked.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers = new Headers({ accept: "application/json" });
    if (asked.body !== undefined) headers.set("content-type", "application/json");
    if (asked.revision !== undefined) headers.set("if-match", `"${asked.revision}"`);
    if (asked.key !== undefined) headers.set("idempotency-key", asked.key);
    if (this.credential) headers.set("authorization", `Bearer ${this.credential}`);
    const answer = await fetch(`${this.address}${filled}${query.size > 0 ? `?${query}` : ""}`, {
      method,
      headers,
      body: asked.body === undefined ? null : JSON.stringify(asked.body),
    });
    if (!answer.ok) {
      const told = await answer.json();
      throw new Refused(answer.status, told.code, told.detail, told.hint, told.details);
    }
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
"""


def main(folder: Path) -> None:
    """Write both files."""
    from saniwa.http.operations import render_openapi

    text = render_openapi()
    (folder / "schema.ts").write_text(_types(text), encoding="utf-8")
    (folder / "saniwa.ts").write_text(_client(json.loads(text)), encoding="utf-8")


def _types(document: str) -> str:
    """The types of everything, as a library writes them."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "openapi.json"
        source.write_text(document, encoding="utf-8")
        command = ROOT / "web" / "node_modules" / ".bin" / "openapi-typescript"
        done = subprocess.run(
            [command, source, "--default-non-nullable=false"],
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout


def _client(document: dict[str, Any]) -> str:
    methods = "".join(_methods(document))
    return f"{HEAD}{methods}}}\n"


def _methods(document: dict[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            good = next(s for s in operation["responses"] if s.startswith("2"))
            content = operation["responses"][good].get("content", {})
            if content and "application/json" not in content:
                continue  # files and streams are read by address
            name = operation["operationId"]
            yield (
                f"\n  /** {operation['summary']}. */\n"
                f'  {name}(asked: Takes<"{name}">): Promise<Gives<"{name}">> {{\n'
                f'    return this.ask("{method.upper()}", "{path}", asked as Asked);\n'
                "  }\n"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
