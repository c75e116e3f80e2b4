"""Writes the TypeScript client from the OpenAPI document: types, and a method per operation.

`python scripts/typescript_client.py FOLDER` writes `schema.ts` and `saniwa.ts` there.
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
 * A client of Saniwa's HTTP API, generated from its OpenAPI document: one method per operation.
 * Do not edit; `make client` writes it again.
 */

import type { operations } from "./schema";

type Field<Part, Name extends string> = Part extends { [N in Name]: infer Value } ? Value : never;
type Parameters<Op> = Field<Op, "parameters">;
type Body<Op> = Op extends { requestBody: { content: { "application/json": infer Value } } }
  ? { body: Value }
  : Op extends { requestBody?: { content: { "application/json": infer Value } } }
    ? { body?: Value }
    : unknown;
type Path<Op> = [NonNullable<Field<Parameters<Op>, "path">>] extends [never]
  ? unknown
  : { path: { [Name in keyof Field<Parameters<Op>, "path">]: string | number } };
type Optional<Value> = { [Name in keyof Value]: Value[Name] | undefined };
type Query<Op> = Parameters<Op> extends { query?: infer Value } ? { query?: Optional<Value> } : unknown;
type Change<Op> = Parameters<Op> extends { header: { "If-Match": string } }
  ? { revision: number; key?: string; signal?: AbortSignal }
  : { key?: string; signal?: AbortSignal };

/** The input of an operation. */
export type Input<Name extends keyof operations> = Path<operations[Name]> &
  Query<operations[Name]> &
  Body<operations[Name]> &
  Change<operations[Name]>;

type Success = 200 | 201 | 204;
type Content<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All & Success]: All[Status] extends { content: { "application/json": infer Value } } ? Value : void }[keyof All & Success]
  : never;

/** The output of an operation. */
export type Output<Name extends keyof operations> = Content<operations[Name]>;

/** An error document of the server (`application/problem+json`). */
export type ProblemDocument = {
  title?: string;
  detail?: string;
  code?: string;
  where?: string;
  hint?: string;
  recoverable?: boolean;
  details?: Record<string, unknown>;
};

/** A request that failed: `code` names the kind, `message` the fact, `hint` the cure. */
export class Problem extends Error {
  readonly code: string;
  readonly hint: string;
  readonly where: string;
  readonly recoverable: boolean;
  readonly details: Record<string, unknown>;

  constructor(
    readonly status: number,
    document: ProblemDocument,
  ) {
    super(document.detail || document.title || `HTTP ${status}`);
    this.name = "Problem";
    this.code = document.code ?? "";
    this.hint = document.hint ?? "";
    this.where = document.where ?? "";
    this.recoverable = document.recoverable ?? false;
    this.details = document.details ?? {};
  }
}

/** Sends one request. Retries and further headers have their place here. */
export type Send = (address: string, request: RequestInit & { headers: Headers }) => Promise<Response>;

/** How to reach a server. */
export type ClientOptions = {
  /** `NAME:SECRET`, if the server asks for a credential. */
  credential?: string;
  /** Sends requests; by default `fetch`, once. */
  send?: Send;
};

type Request = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  revision?: number;
  key?: string;
  signal?: AbortSignal;
};

/** Read an error document; a body that is none counts as empty. */
export async function readProblem(response: Response): Promise<Problem> {
  const document: unknown = await response.json().catch(() => null);
  const isDocument = typeof document === "object" && document !== null;
  return new Problem(response.status, isDocument ? document : { title: response.statusText });
}

/** A server's operations. A request that fails throws a `Problem`. */
export class Saniwa {
  private readonly credential: string;
  private readonly send: Send;

  constructor(
    readonly address: string,
    options: ClientOptions = {},
  ) {
    this.credential = options.credential ?? "";
    this.send = options.send ?? ((address, request) => fetch(address, request));
  }

  private async request<T>(method: string, path: string, input: Request): Promise<T> {
    const filled = path.replace(/\\{(\\w+)\\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(input.path?.[name]));
      // The path of a file inside a story keeps its folders.
      return name === "path" ? value.replaceAll("%2F", "/") : value;
    });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers = new Headers({ accept: "application/json" });
    if (input.body !== undefined) headers.set("content-type", "application/json");
    if (input.revision !== undefined) headers.set("if-match", `"${input.revision}"`);
    if (input.key !== undefined) headers.set("idempotency-key", input.key);
    if (this.credential) headers.set("authorization", `Bearer ${this.credential}`);
    const response = await this.send(`${this.address}${filled}${query.size > 0 ? `?${query}` : ""}`, {
      method,
      headers,
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: input.signal ?? null,
    });
    if (!response.ok) throw await readProblem(response);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
"""


def main(folder: Path) -> None:
    """Write both files."""
    from saniwa.http.application import render_openapi

    text = render_openapi()
    (folder / "schema.ts").write_text(_write_types(text), encoding="utf-8")
    (folder / "saniwa.ts").write_text(_write_client(json.loads(text)), encoding="utf-8")


def _write_types(document: str) -> str:
    """The types of the document, written by a library."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "openapi.json"
        source.write_text(document, encoding="utf-8")
        command = ROOT / "web" / "node_modules" / ".bin" / "openapi-typescript"
        done = subprocess.run(
            [command, source, "--default-non-nullable=false", "--empty-objects-unknown"],
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout


def _write_client(document: dict[str, Any]) -> str:
    methods = "".join(_write_methods(document))
    return f"{HEAD}{methods}}}\n"


def _write_methods(document: dict[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            good = next(s for s in operation["responses"] if s.startswith("2"))
            content = operation["responses"][good].get("content", {})
            if content and "application/json" not in content:
                continue  # files and streams are read by address
            name = operation["operationId"]
            yield (
                f"\n  /** {operation['summary']}. */\n"
                f'  {name}(input: Input<"{name}">): Promise<Output<"{name}">> {{\n'
                f'    return this.request("{method.upper()}", "{path}", input as Request);\n'
                "  }\n"
            )


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: typescript_client.py FOLDER")
    main(Path(sys.argv[1]))
