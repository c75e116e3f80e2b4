/** The requests of this page. */

import { api, toCursor } from "../../api/client";
import type { Input } from "../../api/saniwa";
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

/** List experiments, the newest first. */
export const listExperiments = (after?: string): Promise<Page<ExperimentLine>> =>
  api.listExperiments({ query: { limit: 24, after } });

export const readExperiment = (experiment: string): Promise<ExperimentView> => api.readExperiment({ path: { experiment } });

export const readMeasures = (experiment: string): Promise<Measures> => api.readMeasures({ path: { experiment } });

export const readReport = (experiment: string): Promise<ReportView> => api.readReport({ path: { experiment } });

/** List the turns that a number counts. */
export const listTurnsBehind = (experiment: string, sought: Sought, after?: string): Promise<Page<PlayedTurn>> =>
  api.listTurnsBehind({ path: { experiment }, query: { ...sought, limit: 12, after } as NonNullable<Input<"listTurnsBehind">["query"]> });

/** List the cells of an experiment. */
export const listCells = (
  experiment: string,
  query: { condition?: string; scenario?: string; state?: "" | "done" | "failed" | "not done" },
  after?: string,
): Promise<Page<CellLine>> => api.listCells({ path: { experiment }, query: { ...query, limit: 60, after: toCursor(after) } });

/** Read one cell, turn by turn. */
export const readCell = (experiment: string, cell: string, after?: string): Promise<CellView> =>
  api.readCell({ path: { experiment, cell }, query: { limit: 40, after: toCursor(after) } });

/** Read the prompts of a turn. */
export const readPrompts = (experiment: string, { cell, number }: PlayedTurn): Promise<TurnTold> =>
  api.readTold({ path: { experiment, cell, turn: number } });

export const compareExperiments = (experiment: string, other: string): Promise<ComparedView> =>
  api.compareExperiments({ path: { experiment, other } });
