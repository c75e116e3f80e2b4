/** Stories and worlds as nodes and ways to be drawn. */

import type { CheckedStory, CheckedWorld } from "./calls";

/** How a node looks. */
export type Look = "start" | "section" | "ending" | "end" | "missing";

/** A node to be drawn. */
export type Drawn = {
  id: string;
  name: string;
  /** What stands below its name. */
  below: readonly string[];
  look: Look;
  /** Whether no way leads to it. */
  lost: boolean;
  file: string;
  /** Its line, from 1; 0 for none. */
  line: number;
};

/** A way to be drawn. */
export type DrawnWay = { start: string; end: string; labels: readonly string[]; dashed: boolean; shut: boolean };

/** Something to be drawn. */
export type Drawing = { nodes: readonly Drawn[]; ways: readonly DrawnWay[]; leftOut: number };

/** A story's sections and choices. */
export function drawStory(graph: CheckedStory["graph"]): Drawing {
  return {
    nodes: graph.nodes.map(({ id, name, kind, file, line, reached }) => ({
      id,
      name,
      below: [],
      look: kind as Look,
      lost: !reached,
      file,
      line,
    })),
    // Ways back to the same section say little and take much room.
    ways: graph.edges
      .filter(({ start, end }) => start !== end)
      .map(({ start, end, kind, labels }) => ({ start, end, labels, dashed: kind === "call", shut: false })),
    leftOut: graph.left_out,
  };
}

/** A world's places, with who and what is in them; two ways that lead there and back are one. */
export function drawWorld(world: NonNullable<CheckedWorld["world"]>, text: string): Drawing {
  const nodes = world.places.map(({ id, name, goal }) => {
    const there = world.things.filter((each) => each.room === id).toSorted((a, b) => Number(b.kind === "character") - Number(a.kind === "character"));
    const below = there.slice(0, MOST).map((each) => `${each.kind === "character" ? "●" : "·"} ${each.name}`);
    if (there.length > MOST) below.push(`+${there.length - MOST}`);
    return { id, name, below, look: goal ? ("ending" as const) : ("section" as const), lost: false, file: "", line: findKeyLine(text, id) };
  });
  return { nodes, ways: bothWays(world.ways), leftOut: world.left_out };
}

const MOST = 5;

function bothWays(ways: NonNullable<CheckedWorld["world"]>["ways"]): DrawnWay[] {
  const made = new Map<string, DrawnWay>();
  for (const { start, end, label, door_name, closed } of ways) {
    const [a, b] = [start, end].toSorted();
    const key = `${a}\n${b}\n${door_name}`;
    const labels = [door_name || label].filter(Boolean);
    if (!made.has(key)) made.set(key, { start, end, labels: door_name ? labels : [], dashed: closed, shut: closed });
  }
  return [...made.values()];
}

/** The first line that has this as its key, in YAML or JSON; 0 for none. */
export function findKeyLine(text: string, key: string): number {
  const plain = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`^[ \\t]*["']?${plain}["']?[ \\t]*:`, "m").exec(text);
  return found === null ? 0 : text.slice(0, found.index).split("\n").length;
}
