/** Shapes every page meets, by short names; they are those of the OpenAPI document. */

import type { components } from "./schema";

/** Every shape there is. */
export type Schemas = components["schemas"];

/** One advance of a story: the only thing that carries story to a host. */
export type StepResult = Schemas["StepResult"];

/** One thing to show. A host passes over types it does not know. */
export type Directive = StepResult["directives"][number];

/** What the host does after showing the directives. */
export type Next = StepResult["next"];

/** One choice, with more about it than its words. */
export type Option = NonNullable<Extract<Directive, { type: "Branch" }>["args"]["options"]>[number];

/** Where a run stands, for whoever shows it. */
export type Moment = Schemas["PlayState"];

/** What a run waits for. */
export type Waiting = Moment["waiting"];

/** A run in one line. */
export type RunLine = Schemas["PlayRunSummary"];

/** A run, looked at. */
export type RunView = Schemas["PlayRunView"];

/** A page of a list; `next` is the cursor of what follows. */
export type Page<T> = { items: T[]; next: string | null };
