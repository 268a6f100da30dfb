/**
 * One key as a register for {@link search}: its state is the id of the write that it shows, or nothing.
 *
 * @module
 */
import { type Operation, type Request, isPut, resourceOf } from "../history.ts";
import type { ResourceLog } from "./log.ts";
import { type Call, type Model, type Verdict, search } from "./search.ts";
import type { Times } from "./times.ts";
import type { Authors } from "./writes.ts";

/** The id of the write that a key shows; empty when the object is not there. */
type Shown = string;

/** An operation as a step from one state to another; undefined where its answer does not fit. */
type Step = (state: Shown) => Shown | undefined;

const model = (initial: Shown): Model<Step, Shown> => ({
  initial,
  step: (state, input) => input(state),
  text: (state) => state,
});

/** Most operations of one key that are searched. */
const MOST = 2500;

/** What the searches of all keys found. */
export interface SearchResult {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly operations: number;
}

/** Searches each key for an order of its operations. */
export function searchKeys(
  logs: ReadonlyMap<string, ResourceLog>,
  operations: readonly Operation[],
  authors: Authors,
  times: Times,
): SearchResult {
  const verdicts = new Map<string, Verdict>();
  const made = new Map([...authors].map(([change, operation]) => [operation, change.revision]));
  const single = operations.filter(({ request }) => request.verb !== "list");
  let count = 0;
  for (const [key, own] of Map.groupBy(single, ({ request }) => (request as Exclude<Request, { scope: string }>).key)) {
    const log = logs.get(resourceOf(key))!;
    const calls = own.flatMap((operation) => {
      const call = callOf(operation, log, made.get(operation), times);
      return call ? [call] : [];
    });
    count += calls.length;
    const initial = log.first(key)?.id ?? "";
    verdicts.set(key, calls.length > MOST ? "undecided" : search(calls, model(initial), 400_000));
  }
  return { verdicts, operations: count };
}

function callOf(
  operation: Operation,
  log: ResourceLog,
  revision: number | undefined,
  times: Times,
): Call<Step> | undefined {
  const input = stepOf(operation, log);
  if (!input) return undefined;
  const { call, outcome } = operation;
  if (outcome.is !== "unknown") return { call, return: operation.return, input, optional: false };
  if (revision !== undefined) return { call, return: Math.max(call, times.latest(revision)), input, optional: false };
  // A put that was never seen did not happen, where everything is known.
  if (isPut(operation.request) && log.complete) return undefined;
  return { call, return: Infinity, input, optional: true };
}

function stepOf({ request, outcome }: Operation, log: ResourceLog): Step | undefined {
  if (request.verb === "list") return undefined;
  if (request.verb === "get") {
    if (request.fresh.is !== "newest" || outcome.is === "unknown") return undefined;
    const shown = outcome.is === "object" ? outcome.object.id : "";
    return (state) => (state === shown ? state : undefined);
  }
  const { expected, verb } = request;
  const condition = expected === undefined ? undefined : idAt(log, request.key, expected);
  const meets = (state: Shown): boolean => condition === undefined || state === condition;
  if (outcome.is === "refused") {
    if (outcome.code === 404) return (state) => (state === "" ? state : undefined);
    if (outcome.code !== 409 || verb === "apply") return undefined;
    return (state) => (state !== "" && (condition === undefined || state !== condition) ? state : undefined);
  }
  if (verb === "delete") return (state) => (state !== "" && meets(state) ? "" : undefined);
  const created = outcome.is === "object" ? outcome.status === 201 : undefined;
  const { id } = request;
  const absent = verb === "create" || created === true;
  const present = verb === "update" || verb === "patch" || created === false;
  return (state) => ((absent && state !== "") || (present && state === "") || !meets(state) ? undefined : id);
}

/** The id that a version shows; one that was never seen is no id at all. */
function idAt(log: ResourceLog, key: string, revision: number): string {
  const change = log.at(revision);
  if (change?.key === key) return change.object.id;
  const first = log.first(key);
  return first?.revision === revision ? first.id : `unseen@${revision}`;
}
