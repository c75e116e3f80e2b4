/** The requests of this page. */

import { api } from "../../api/client";
import type { RunView } from "../../api/shapes";
import type { BookLine, BookView, Checked, Tried } from "./types";

export const listBooks = async (): Promise<BookLine[]> => (await api.listRulebooks({})).items;

export const readShipped = (name: string): Promise<BookView> => api.readRulebook({ path: { name } });

export const readBook = (run: string): Promise<BookView> => api.readRunRulebook({ path: { run } });

export const readRun = (run: string): Promise<RunView> => api.readRun({ path: { run } });

export const checkLayer = (run: string, text: string, signal: AbortSignal): Promise<Checked> =>
  api.checkRunRulebook({ path: { run }, body: { text }, signal });

export const tryLayer = (run: string, text: string, words: string, actor: string): Promise<Tried> =>
  api.tryRunRulebook({ path: { run }, body: { text, words, actor } });

export const addLayer = (run: string, text: string, revision: number): Promise<unknown> =>
  api.editRunRulebook({ path: { run }, body: { text }, revision });
