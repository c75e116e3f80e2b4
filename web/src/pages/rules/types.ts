/** The shapes this page is told, by short names. */

import type { Schemas } from "../../api/shapes";

export type BookView = Schemas["RulebookView"];
export type RuleView = Schemas["RuleView"];
export type CheckView = Schemas["CheckView"];
export type LayerView = Schemas["LayerView"];
export type BookLine = Schemas["RulebookSummary"];
export type Checked = Schemas["RulebookCheckResult"];
export type Finding = Schemas["FindingView"];
export type Tried = Schemas["LayerTrialResult"];
export type Weighed = Schemas["ActionVerdictChange"];
