/** What this page asks of the server. */

import { fetched } from "../../api/client";
import type { Page } from "../../api/shapes";
import type {
  CellLine,
  CellView,
  ComparedView,
  ExperimentLine,
  ExperimentView,
  Measures,
  PlayedTurn,
  ReportView,
  Sought,
  TurnTold,
} from "./types";

/** Experiments, the newest first. */
export const experiments = (after?: string): Promise<Page<ExperimentLine>> =>
  fetched(["experiments"], { query: { limit: 24, after } });

/** One of them. */
export const experimentOf = (name: string): Promise<ExperimentView> => fetched(["experiments", name]);

/** The same in numbers. */
export const measuresOf = (name: string): Promise<Measures> => fetched(["experiments", name, "measures"]);

/** Its report. */
export const reportOf = (name: string): Promise<ReportView> => fetched(["experiments", name, "report"]);

/** The turns behind a number. */
export const turnsBehind = (name: string, sought: Sought, after?: string): Promise<Page<PlayedTurn>> =>
  fetched(["experiments", name, "turns"], { query: { ...sought, limit: 12, after } });

/** Its runs. */
export const cellsOf = (
  name: string,
  query: { condition?: string; scenario?: string; state?: string },
  after?: string,
): Promise<Page<CellLine>> => fetched(["experiments", name, "cells"], { query: { ...query, limit: 60, after } });

/** One run, turn by turn. */
export const cellOf = (name: string, cell: string, after?: string): Promise<CellView> =>
  fetched(["experiments", name, "cells", cell], { query: { limit: 40, after } });

/** What a model was told in a turn. */
export const toldIn = (name: string, turn: PlayedTurn): Promise<TurnTold> =>
  fetched(["experiments", name, "cells", turn.cell, "turns", turn.number]);

/** Two experiments beside each other. */
export const compared = (first: string, second: string): Promise<ComparedView> =>
  fetched(["experiments", first, "compare", second]);
