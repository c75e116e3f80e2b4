/** Whether this page shows pictures or tables; kept in this browser. */

import { writeSetting, readSetting } from "../../app/settings.svelte";

type Viewing = { tables: boolean };

/** What was chosen; reading it in markup follows every change. */
export const viewMode: Viewing = $state({ tables: readSetting("compare.tables") === "yes" });

/** Choose, now and for next time. */
export function setViewMode(tables: boolean): void {
  viewMode.tables = tables;
  writeSetting("compare.tables", tables ? "yes" : "no");
}
