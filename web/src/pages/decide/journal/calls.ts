/** The requests of the journal viewer. */

import { api } from "../../../api/client";
import type { Page } from "../../../api/shapes";
import type { Filter, JournalPage, Overview } from "./journal";

/** List journals, the newest first: all, or those of agents at one run. */
export const listJournals = (run = "", after = ""): Promise<Page<Overview>> => api.listAgentJournals({ query: { run, after } });

/** Read a page of a journal. */
export const readJournal = (journal: string, { tool, refused, iteration }: Filter, after = ""): Promise<JournalPage> =>
  api.readAgentJournal({ path: { journal }, query: { tool, refused, iteration, after, limit: 10 } });
