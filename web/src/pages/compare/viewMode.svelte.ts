/** Whether this page shows pictures or tables; kept in this browser. */

import { keep, kept } from "../../app/settings.svelte";

type Viewing = { tables: boolean };

/** What was chosen; reading it in markup follows every change. */
export const viewing: Viewing = $state({ tables: kept("compare.tables") === "yes" });

/** Choose, now and for next time. */
export function view(tables: boolean): void {
  viewing.tables = tables;
  keep("compare.tables", tables ? "yes" : "no");
}
