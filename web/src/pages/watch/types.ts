/** The shapes this page is told, by short names. */

import type { Schemas } from "../../api/shapes";

export type TurnLine = Schemas["TurnSummary"];
export type TurnView = Schemas["TurnView"];
export type Deed = Schemas["JudgedAction"];
export type Differs = Schemas["WorldDifference"];
export type WorldView = Schemas["WorldView"];
export type PlaceView = Schemas["PlaceView"];
export type ThingView = Schemas["EntityView"];
export type WayView = Schemas["ExitView"];
export type MindView = Schemas["MindView"];
export type BeliefView = Schemas["BeliefView"];
export type TableView = Schemas["TableView"];
export type SeatView = Schemas["SeatView"];
export type Replay = Schemas["ReplayResult"];

/** Which turns are looked for. */
export type Search = {
  q: string;
  only: "all" | "refused" | "changed" | "unclear" | "aside";
  actor: string;
  type: string;
};
