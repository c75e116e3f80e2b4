/** Going from page to page without loading anew. */

import { readRoute, type Route } from "./route";

type Place = { route: Route; path: string };

function here(): Place {
  const { pathname, search } = window.location;
  return { route: readRoute(pathname, search), path: pathname + search };
}

/** Where the person is; reading it in markup follows every step. */
export const place: Place = $state(here());

/** Go to a path of this page. `replace` leaves no step to come back to. */
export function goTo(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  Object.assign(place, here());
  if (!replace) window.scrollTo(0, 0);
}

/** Follow the browser's own back and forward, and every plain click on a link of ours. */
export function followLinks(): () => void {
  const moved = (): void => void Object.assign(place, here());
  window.addEventListener("popstate", moved);
  document.addEventListener("click", follow);
  return () => {
    window.removeEventListener("popstate", moved);
    document.removeEventListener("click", follow);
  };
}

function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || !plain(event) || !ours(link)) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}

function plain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

function ours(link: HTMLAnchorElement): boolean {
  const inside = link.origin === window.location.origin && !link.pathname.startsWith("/api/");
  return inside && link.hash === "" && link.target === "" && !link.hasAttribute("download");
}
