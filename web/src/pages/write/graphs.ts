/** A story as nodes and ways to be drawn, and where a world's places stand in its text. */

import type { CheckedStory } from "./calls";

/** How a node looks. */
export type Look = "start" | "section" | "ending" | "end" | "missing";

/** A node to be drawn. */
export type Drawn = {
  id: string;
  name: string;
  look: Look;
  /** Whether no way leads to it. */
  lost: boolean;
  file: string;
  /** Its line, from 1; 0 for none. */
  line: number;
};

/** A way to be drawn. */
export type DrawnWay = { start: string; end: string; labels: readonly string[]; dashed: boolean };

/** Something to be drawn. */
export type Drawing = { nodes: readonly Drawn[]; ways: readonly DrawnWay[]; leftOut: number };

/** A story's sections and choices. */
export function drawStory(graph: CheckedStory["graph"]): Drawing {
  return {
    nodes: graph.nodes.map(({ id, name, kind, file, line, reached }) => ({
      id,
      name,
      look: kind as Look,
      lost: !reached,
      file,
      line,
    })),
    // Ways back to the same section say little and take much room.
    ways: graph.edges
      .filter(({ start, end }) => start !== end)
      .map(({ start, end, kind, labels }) => ({ start, end, labels, dashed: kind === "call" })),
    leftOut: graph.left_out,
  };
}

/** The first line that has this as its key, in YAML or JSON; 0 for none. */
export function findKeyLine(text: string, key: string): number {
  const plain = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`^[ \\t]*["']?${plain}["']?[ \\t]*:`, "m").exec(text);
  return found === null ? 0 : text.slice(0, found.index).split("\n").length;
}
