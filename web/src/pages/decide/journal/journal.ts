/** What an agent's journal says, by names of its own, and how people read it. */

import type { Output } from "../../../api/saniwa";
import { makePath } from "../../../app/route";

type Page = Output<"readAgentJournal">;

/** A journal in few words. */
export type Overview = Page["journal"];

/** One iteration, or a part of one that was interrupted. */
export type Iteration = Page["items"][number];

/** Something that happened in an iteration. */
export type Moment = Iteration["moments"][number];

/** A tool call. */
export type Call = Extract<Moment, { kind: "call" }>;

/** A page of a journal. */
export type JournalPage = { journal: Overview; items: Iteration[]; next: string | null };

/** Which iterations are shown: those with a tool, those with a refusal, those of one number. */
export type Filter = { tool: string; refused: boolean; iteration: number };

/** The journal and the iteration of a call such as `agent-…:3:tool-1`; null for any other text. */
export function readCallPlace(call: string): { journal: string; iteration: number } | null {
  const found = /^(agent-[0-9a-f-]{36}):(\d{1,6}):tool-\d+$/u.exec(call);
  return found?.[1] && found[2] ? { journal: found[1], iteration: Number(found[2]) } : null;
}

/** The path of a call on the page; empty where the call names no journal. */
export function makeCallPath(call: string): string {
  const place = readCallPlace(call);
  return place === null ? "" : makePath("decide", ["journals", place.journal], { call });
}

/** Which iterations a query asks for; a call that it names wins. */
export function readFilter(query: URLSearchParams): Filter {
  const place = readCallPlace(query.get("call") ?? "");
  if (place !== null) return { tool: "", refused: false, iteration: place.iteration };
  return { tool: query.get("tool") ?? "", refused: query.get("refused") === "1", iteration: 0 };
}

/** What was known and what came since, each part once, the newest first. */
export function mergeIterations(known: readonly Iteration[], fresh: readonly Iteration[]): Iteration[] {
  const parts = new Map([...known, ...fresh].map((each) => [each.number, each]));
  return [...parts.values()].sort((one, other) => other.number - one.number);
}

/** How long something took: "12 ms", "3.4 s", "2 min 5 s", "1 h 2 min". */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A price in millionths of a dollar: "$0.0123"; empty where nothing has a price. */
export function formatCost(millionths: number): string {
  return millionths > 0 ? `$${(millionths / 1_000_000).toFixed(4)}` : "";
}

/** A part of a budget: a number, and where the agent is stopped, if anywhere. */
export type Spending = { of: "iterations" | "requests" | "tokens" | "cost" | "toolCalls"; spent: string; most: string };

/** What an agent has spent, each beside its limit. */
export function listSpending({ iterations, usage, limits }: Overview): Spending[] {
  const number = (value: number | undefined): string => (value === undefined ? "" : value.toLocaleString("en"));
  const tokens = usage.input_tokens + usage.output_tokens;
  return [
    { of: "iterations", spent: number(iterations), most: number(limits["maxIterations"]) },
    { of: "toolCalls", spent: number(usage.tool_calls), most: number(limits["maxToolCalls"]) },
    { of: "requests", spent: number(usage.calls), most: number(limits["maxCalls"]) },
    { of: "tokens", spent: number(tokens), most: number(limits["maxTokens"]) },
    { of: "cost", spent: formatCost(usage.cost) || "–", most: limits["maxCost"] === undefined ? "" : `$${limits["maxCost"]}` },
  ];
}
