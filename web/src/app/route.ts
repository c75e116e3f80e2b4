/** Which page a path asks for; nothing here touches the browser. */

/** The pages there are. */
export const PAGES = ["play", "watch", "rules", "decide", "compare", "write"] as const;

/** The name of a page. */
export type PageName = (typeof PAGES)[number];

/** Where somebody is: the page and the rest of the path, decoded, part by part. */
export type Route = {
  page: PageName | "unknown";
  parts: readonly string[];
  query: URLSearchParams;
};

/** Read a path such as `/watch/01J…?turn=3`. `/` is the play page. */
export function readRoute(path: string, search = ""): Route {
  const [first = "play", ...parts] = path.split("/").filter(Boolean).map(decoded);
  const page = PAGES.find((name) => name === first) ?? "unknown";
  return { page, parts, query: new URLSearchParams(search) };
}

/** The path of a page: `pathOf("watch", [run], { turn: 3 })`. */
export function makePath(
  page: PageName,
  parts: readonly string[] = [],
  query: Record<string, string | number> = {},
): string {
  const path = [page, ...parts].map((part) => encodeURIComponent(part)).join("/");
  const asked = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]));
  return asked.size > 0 ? `/${path}?${asked}` : `/${path}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
