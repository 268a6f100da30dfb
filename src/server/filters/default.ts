import { auditId } from "./audit-id.ts";
import { authenticate } from "./authenticate.ts";
import { authorise } from "./authorise.ts";
import type { Filter } from "./contract.ts";
import { fairness } from "./fairness.ts";
import { find, handle } from "./find.ts";
import { impersonate } from "./impersonate.ts";
import { measure, slow } from "./measure.ts";
import { readPath } from "./read-path.ts";
import { readTimeout } from "./read-timeout.ts";
import { warn } from "./warn.ts";

/** The filters of a request, in order, unless a server has others. */
export const DEFAULT_FILTERS: readonly Filter[] = [
  auditId, // every response can be found again in the logs
  measure, // count, time and size
  slow, // what took long is logged
  readPath, // the path and the route
  readTimeout, // how long the client waits
  authenticate, // the user
  impersonate, // another user in place of the sender; before seats are taken, which are those of the other
  fairness, // not more at a time than the server can do, and users one after the other
  authorise, // whether the user may; before the user learns what exists
  find, // the resource and the verb, or 404 and 405
  warn, // for responses of a deprecated version
  handle, // the response itself
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
