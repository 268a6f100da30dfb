/**
 * The view that the page shows, in step with the URL.
 *
 * @module
 */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { moment, momentText, parseMoment } from "./moment.ts";
import { parseRoute, routePath, routeSearch, type Route } from "./routes.ts";

export { changedQuery, objectRoute } from "./routes.ts";
export type { ListFilter, ListRoute, NewRoute, ObjectRoute, ObjectTab, PlainRoute, Route } from "./routes.ts";

const current = signal<Route>(parseRoute("/console/", ""));

/** The route of the view that is shown. */
export const route: ReadonlySignal<Route> = current;

/** The URL of a route at the moment that is shown. */
export function href(to: Route): string {
  const parameters = routeSearch(to);
  const shown = moment.value;
  if (shown) parameters.set("at", momentText(shown));
  const search = parameters.toString();
  return routePath(to) + (search && `?${search}`);
}

/** Shows a route; with `replace` the one that is left is not in the history of the browser. */
export function navigate(to: Route, options: { readonly replace?: boolean } = {}): void {
  const url = href(to);
  if (url !== location.pathname + location.search) show(url, options.replace ?? false);
  current.value = to;
}

/** Shows the route of a path in the console with its parameters; the first page for anything else. */
export function navigateTo(url: string): void {
  const { origin, pathname, search } = new URL(url, location.origin);
  const isInside = origin === location.origin && pathname.startsWith("/console/");
  const to = isInside ? parseRoute(pathname, search) : parseRoute("/console/", "");
  navigate(to.view === "unknown" || to.view === "sign-in" ? { view: "home" } : to, { replace: true });
}

/** Goes back to the view before, or to the first page if this is where the user came in. */
export function back(): void {
  if (depth() > 0) history.back();
  else if (current.peek().view !== "home") navigate({ view: "home" }, { replace: true });
}

/** How many views of the console are behind this one in the history of the browser. */
function depth(): number {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "depth" in state ? Number(state.depth) || 0 : 0;
}

function show(url: string, replace: boolean): void {
  if (replace) history.replaceState({ depth: depth() }, "", url);
  else history.pushState({ depth: depth() + 1 }, "", url);
}

/** Follows the browser: its URL at the start, back and forward, and links to the console. Call it once. */
export function followLocation(): void {
  const read = (): void => {
    moment.value = parseMoment(new URLSearchParams(location.search).get("at") ?? "");
    current.value = parseRoute(location.pathname, location.search);
  };
  read();
  addEventListener("popstate", read);
  effect(() => {
    // What changes is the moment; the route is read without a subscription.
    void moment.value;
    navigate(current.peek(), { replace: true });
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith("/console/") || link.hash !== "") return;
    event.preventDefault();
    show(link.pathname + link.search, false);
    read();
  });
}
