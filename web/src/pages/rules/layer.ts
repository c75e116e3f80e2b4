/** Layers as text: what they say something about, and how a check is written down. */

import { abbreviateCondition } from "./condition";

type Parts = Record<string, unknown>;

function listed(value: unknown): Parts[] {
  return Array.isArray(value) ? value.filter((each): each is Parts => typeof each === "object" && each !== null) : [];
}

/** The names of the checks that a layer says something about, such as `take.in_scope`. */
export function listChecks(layer: unknown): string[] {
  const rules = listed((layer as Parts | null)?.["rules"]);
  return rules.flatMap((rule) => {
    const type = rule["actionType"] ?? rule["action_type"];
    return listed(rule["checks"]).map((check) => `${String(type)}.${String(check["id"])}`);
  });
}

/** What the editor needs of a check. */
export type Written = {
  id: string;
  description: string;
  enabled: boolean;
  condition: unknown;
  fail_reason: string;
  fail_message: Record<string, string>;
  hint: Record<string, string>;
};

/** A layer with this one check, as YAML, to be changed. */
export function buildLayer(actionType: string, check: Written): string {
  const written: Parts = {
    id: check.id,
    description: check.description,
    condition: abbreviateCondition(check.condition),
    failReason: check.fail_reason,
    failMessage: check.fail_message,
  };
  if (Object.keys(check.hint).length > 0) written["hint"] = check.hint;
  if (!check.enabled) written["enabled"] = false;
  return renderYaml({ rules: [{ actionType, checks: [written] }] });
}

/** A layer to begin with: one new check of a kind of action. */
export function makeLayer(actionType: string): string {
  return buildLayer(actionType, {
    id: "my_rule",
    description: "",
    enabled: true,
    condition: { op: "inScope", role: "target" },
    fail_reason: "MISSING_REQUIREMENT",
    fail_message: { en: "Not today.", ja: "今日はだめだ。" },
    hint: {},
  });
}

/** Plain values as YAML. Text is quoted wherever it could be taken for something else. */
export function renderYaml(value: unknown, depth = 0): string {
  const pad = "  ".repeat(depth);
  if (Array.isArray(value) && value.length > 0 && value.some((each) => typeof each === "object" && each !== null))
    return value.map((each) => `${pad}- ${renderYaml(each, depth + 1).trimStart()}`).join("");
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([key, each]) => `${pad}${scalar(key)}:${behind(each, depth)}`)
      .join("");
  return `${pad}${flow(value)}\n`;
}

function behind(value: unknown, depth: number): string {
  const short = flow(value);
  if (short.length <= 70 || typeof value !== "object" || value === null || flat(value)) return ` ${short}\n`;
  return `\n${renderYaml(value, depth + 1)}`;
}

/** Whether it holds nothing that could be broken over lines. */
function flat(value: object): boolean {
  return Object.keys(value).length === 0;
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${scalar(key)}: ${flow(each)}`)
      .join(", ")}}`;
  return typeof value === "string" ? scalar(value) : JSON.stringify(value ?? null);
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const WORDS = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.has(text.toLowerCase()) ? text : JSON.stringify(text);
}
