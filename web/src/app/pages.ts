/** The pages, each fetched when it is first opened. */

import type { Component } from "svelte";
import type { PageName } from "./route";

/** What every page is given: the parts of the path behind its name, and the query. */
export type PageProps = { parts: readonly string[]; query: URLSearchParams };

type Loaded = { default: Component<PageProps> };

/** A page that has been fetched. */
export type Opened = { page: PageName; Page: Component<PageProps> };

/** How each page is fetched: a chunk of its own. */
export const LOADERS: Record<PageName, () => Promise<Loaded>> = {
  play: () => import("../pages/play/Page.svelte"),
  watch: () => import("../pages/watch/Page.svelte"),
  rules: () => import("../pages/rules/Page.svelte"),
  decide: () => import("../pages/decide/Page.svelte"),
  compare: () => import("../pages/compare/Page.svelte"),
  write: () => import("../pages/write/Page.svelte"),
};
