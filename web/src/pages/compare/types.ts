/** The shapes this page meets, as the server's own document names them. */

import type { components } from "../../api/schema";

type Shapes = components["schemas"];

export type ExperimentLine = Shapes["ExperimentSummary"];
export type ExperimentView = Shapes["ExperimentView"];
export type Measures = Shapes["ExperimentMeasures"];
export type MetricView = Shapes["MetricView"];
export type Metric = Shapes["Metric"];
export type ConditionMeasures = Shapes["ConditionMeasures"];
export type Condition = Shapes["Condition"];
export type Estimate = Shapes["Estimate"];
export type EffectView = Shapes["EffectView"];
export type ComparisonView = Shapes["ComparisonView"];
export type GateVerdict = Shapes["GateVerdict"];
export type Sense = EffectView["sense"];
export type PlayedTurn = Shapes["CellTurnView"];
export type Attempt = Shapes["AnswerAttempt"];
export type Intent = Shapes["Intent"];
export type TurnTold = Shapes["CellTurnPrompts"];
export type CellLine = Shapes["CellSummary"];
export type CellView = Shapes["CellView"];
export type ComparedView = Shapes["ExperimentComparisonView"];
export type MoveView = ComparedView["compared"]["moves"][number];
export type ReportView = Shapes["ReportView"];
export type Block = ReportView["blocks"][number];
export type Piece = Shapes["ReportPiece"];

/** Which turns somebody wants to see: the questions of `GET /experiments/…/turns`. */
export type Sought = {
  metric?: string;
  counted?: "yes" | "no";
  condition?: string;
  scenario?: string;
  deny?: string;
  at?: "first" | "final";
  turn?: number;
  until?: number;
};
