/** When something was, from what the gate writes: ISO 8601, or milliseconds since 1970. */

import { settings } from "../../app/settings.svelte";
import { formatTime } from "../play/dateTime";

/** "14:05" for today, else with its day; in the page's language. */
export function formatGateTime(time: string | number): string {
  return formatTime(typeof time === "number" ? time : Date.parse(time), settings.language, Date.now());
}
