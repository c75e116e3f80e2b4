/** Everything this page asks the server. */

import { ask, fetched, type Answered } from "../../api/client";
import type { Page, RunView } from "../../api/shapes";
import type { BookLine, BookView, Checked, Tried } from "./types";

export const listBooks = async (): Promise<BookLine[]> => (await fetched<Page<BookLine>>(["rulebooks"])).items;

export const readShipped = (name: string): Promise<BookView> => fetched(["rulebooks", name]);

export const readBook = (run: string): Promise<BookView> => fetched(["runs", run, "rulebook"]);

export const readRun = (run: string): Promise<RunView> => fetched(["runs", run]);

export const checkLayer = async (run: string, text: string, signal: AbortSignal): Promise<Checked> =>
  (await ask<Checked>("POST", ["runs", run, "rulebook", "check"], { body: { text }, signal })).body;

export const tryLayer = async (run: string, text: string, words: string, actor: string): Promise<Tried> =>
  (await ask<Tried>("POST", ["runs", run, "rulebook", "try"], { body: { text, words, actor } })).body;

export const layOver = (run: string, text: string, revision: number): Promise<Answered<unknown>> =>
  ask("POST", ["runs", run, "rulebook"], { body: { text }, revision });
