/**
 * The view that the page shows, in step with the URL.
 *
 * @module
 */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { moment, momentText, parseMoment } from "./moment.ts";
import { parseRoute, routePath, routeSearch, type Route } from "./routes.ts";

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
  if (url !== location.pathname + location.search)
    history[options.replace ? "replaceState" : "pushState"](null, "", url);
  current.value = to;
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
    history.pushState(null, "", link.pathname + link.search);
    read();
  });
}
