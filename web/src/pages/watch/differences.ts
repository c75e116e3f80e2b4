/** What changed, in plain words. */

import type { Values } from "../../words/translate";
import type words from "../../words/watch";
import type { Differs } from "./types";

type Voice = (key: keyof (typeof words)["en"], values?: Values) => string;

/** One sentence for one difference. */
export function describeDifference(each: Differs, t: Voice): string {
  const { name, field, before, after } = each;
  switch (field) {
    case "exists":
      return t(after ? "d_new" : "d_gone", { name });
    case "place":
      return sayPlace(each, t);
    case "open":
      return t(after ? "d_open" : "d_shut", { name });
    case "locked":
      return t(after ? "d_locked" : "d_unlocked", { name });
    case "hidden":
      return t(after ? "d_hidden" : "d_found", { name });
    case "flag":
      return t("d_flag", { name, before: describeValue(before, t), after: describeValue(after, t) });
    case "hour":
      return t("d_hour", { before: describeValue(before, t), after: describeValue(after, t) });
    default:
      return t("d_field", { name, field, before: describeValue(before, t), after: describeValue(after, t) });
  }
}

function sayPlace({ name, before_name: before, after_name: after }: Differs, t: Voice): string {
  if (!after) return t("d_placeFrom", { name, before });
  return before ? t("d_place", { name, before, after }) : t("d_placeTo", { name, after });
}

/** A value as people read it. */
export function describeValue(value: unknown, t: Voice): string {
  if (value === null || value === undefined || value === "") return t("unset");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (Array.isArray(value)) return value.length > 0 ? value.map((each) => describeValue(each, t)).join(", ") : t("unset");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
