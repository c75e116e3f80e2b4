/** The shapes this page is told, by short names. */

import type { Schemas } from "../../api/shapes";

export type BookView = Schemas["BookView"];
export type RuleView = Schemas["RuleView"];
export type CheckView = Schemas["CheckView"];
export type LayerView = Schemas["LayerView"];
export type BookLine = Schemas["BookLine"];
export type Checked = Schemas["Checked"];
export type Finding = Schemas["FindingView"];
export type Tried = Schemas["Tried"];
export type Weighed = Schemas["Weighed"];
