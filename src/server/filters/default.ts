import { auditId } from "./audit-id.ts";
import { authenticate } from "./authenticate.ts";
import { authorise } from "./authorise.ts";
import type { Filter } from "./contract.ts";
import { fairness } from "./fairness.ts";
import { find } from "./find.ts";
import { handle } from "./handle.ts";
import { impersonate } from "./impersonate.ts";
import { measure } from "./measure.ts";
import { readPath } from "./read-path.ts";
import { readTimeout } from "./read-timeout.ts";
import { slow } from "./slow.ts";
import { warn } from "./warn.ts";

/** The way of a request, from top to bottom, unless a server is given another. */
export const DEFAULT_FILTERS: readonly Filter[] = [
  auditId, // every answer can be found again in the logs
  measure, // count, time and size
  slow, // what took long is logged
  readPath, // what is asked for
  readTimeout, // how long the client waits
  authenticate, // who asks
  impersonate, // in whose name; before a place is given, which is that of the other
  fairness, // not more at a time than we can do, and everybody in turn
  authorise, // whether they may; before anybody learns what exists
  find, // the resource and the verb, or 404 and 405
  warn, // what every answer of a deprecated version says
  handle, // the answer itself
];

/** A chain with one filter more, before or after the one of a name; throws where the chain has none of that name. */
export function withFilter(
  filter: Filter,
  where: { readonly before: string } | { readonly after: string },
  filters: readonly Filter[] = DEFAULT_FILTERS,
): readonly Filter[] {
  const name = "before" in where ? where.before : where.after;
  const at = filters.findIndex((one) => one.name === name);
  if (at < 0)
    throw new Error(`Expected a filter of the chain, ${filters.map((one) => one.name).join(", ")}; got ${name}`);
  return filters.toSpliced("before" in where ? at : at + 1, 0, filter);
}
