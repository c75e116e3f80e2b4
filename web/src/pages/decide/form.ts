/** A form from the JSON Schema of an event's payload: simple kinds as fields, the rest as JSON. */

import type { Values } from "./types";

/** What a field takes. */
export type Kind = "text" | "choice" | "number" | "yes" | "lines" | "json";

/** One field of a form. */
export type FormField = {
  name: string;
  label: string;
  help: string;
  kind: Kind;
  required: boolean;
  /** For a choice: what there is to choose. */
  choices: readonly unknown[];
  /** What stands in it at first, as it is typed. */
  first: string;
};

/** What is wrong with a field: nothing in it, no number, no JSON. */
export type Fault = "needed" | "noNumber" | "noJson";

/** What a form says: the payload, or what is wrong in which field. */
export type Filled = { payload: Values; faults: Record<string, Fault> };

/** The fields of a schema, in its author's order, those that must be there first. */
export function buildFields(schema: unknown): FormField[] {
  if (!isMap(schema) || !isMap(schema.properties)) return [];
  const needed = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([name, part]) => fieldOf(name, part, needed.includes(name)));
  return [...fields.filter((each) => each.required), ...fields.filter((each) => !each.required)];
}

/** What was typed, as the payload it makes; what was left empty is left out. */
export function buildPayload(fields: readonly FormField[], typed: Readonly<Record<string, string>>): Filled {
  const payload: Values = {};
  const faults: Record<string, Fault> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? "";
    if (field.kind === "yes") {
      if (text || field.required) payload[field.name] = text === "true";
    } else if (text.trim() === "") {
      if (field.required) faults[field.name] = "needed";
    } else {
      const value = valueOf(field, text);
      if (value === undefined) faults[field.name] = field.kind === "number" ? "noNumber" : "noJson";
      else payload[field.name] = value;
    }
  }
  return { payload, faults };
}

/** What somebody wrote as evidence: JSON where it is a map or a list of it, else the text itself. */
export function parseContent(text: string): unknown {
  return /^\s*[[{]/u.test(text) ? (parsed(text) ?? text) : text;
}

function fieldOf(name: string, part: unknown, required: boolean): FormField {
  const schema = isMap(part) ? part : {};
  const choices = Array.isArray(schema.enum) ? schema.enum : [];
  return {
    name,
    label: typeof schema.title === "string" ? schema.title : name.replaceAll("_", " "),
    help: typeof schema.description === "string" ? schema.description : "",
    kind: kindOf(schema, choices),
    required,
    choices,
    first: firstOf(schema.default, choices),
  };
}

function kindOf(schema: Values, choices: readonly unknown[]): Kind {
  if (choices.length > 0) return "choice";
  if (schema.type === "string") return "text";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "yes";
  if (schema.type === "array" && isMap(schema.items) && schema.items.type === "string") return "lines";
  return "json";
}

function firstOf(value: unknown, choices: readonly unknown[]): string {
  if (value === undefined) return "";
  if (choices.length > 0) return String(choices.indexOf(value));
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueOf(field: FormField, text: string): unknown {
  if (field.kind === "choice") return field.choices[Number(text)];
  if (field.kind === "text") return text;
  if (field.kind === "lines") return text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (field.kind === "json") return parsed(text);
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
