/**
 * The testing API over HTTP, for test suites in other languages.
 *
 *     POST /keelson/v1/testing/mark      {}                                  -> {"mark": "1"}
 *     POST /keelson/v1/testing/reset     {"mark": "1"}, or {} for the start  -> {}
 *     POST /keelson/v1/testing/settled   {"limit": "5s"}, or {}              -> {}, or 504 with the running work
 *     POST /keelson/v1/testing/requests  {"verb": "writes", "kind": ...}     -> {"requests": [...]}
 *     POST /keelson/v1/testing/faults    {"match": ..., "fault": "conflict"} -> {}
 *     DELETE /keelson/v1/testing/faults                                      -> {}
 *
 * A match has the members of a {@link RequestMatch} that JSON can represent; `name` is a text. `with` is the argument of the
 * function of a fault (`"5s"`, `{"when": "after"}`, `{"events": 2}`), and `rule` is `next` (with `times`), `always` or
 * `sometimes` (with `probability`). All requests need the admin's credential.
 *
 * @module
 */
import { ApiError, badRequest } from "../meta/status.ts";
import type { Route, ServerRequest } from "../server/index.ts";
import type { Duration } from "../util/duration.ts";
import type { Cluster, Mark } from "./contract.ts";
import * as faults from "./fault.ts";
import { NotSettled } from "./settled.ts";
import type { RequestMatch } from "./traffic.ts";

/** The path of the testing API. */
export const CONTROL_PATH = "/keelson/v1/testing";

const MAX_BODY_BYTES = 1 << 20;

type Members = Readonly<Record<string, unknown>>;

type Action = (cluster: Cluster, body: Members) => object | Promise<object>;

/** Reads the match of a body. */
function matchOf(body: Members): RequestMatch {
  const { kind, group = "", ...rest } = body;
  if (kind === undefined) return rest;
  if (typeof kind !== "string" || typeof group !== "string") throw badRequest("expected kind and group to be texts");
  return { ...rest, kind: { kind, group } };
}

/** The faults by name. */
const FAULTS = {
  conflict: faults.conflict,
  alreadyExists: faults.alreadyExists,
  notFound: faults.notFound,
  forbidden: faults.forbidden,
  internalError: faults.internalError,
  serviceUnavailable: faults.serviceUnavailable,
  storeRefuses: faults.storeRefuses,
  hang: faults.hang,
  tooManyRequests: faults.tooManyRequests,
  slow: faults.slow,
  dropConnection: faults.dropConnection,
  watchEnds: faults.watchEnds,
  watchExpires: faults.watchExpires,
  watchLags: faults.watchLags,
  watchStalls: faults.watchStalls,
} as const satisfies Readonly<Record<string, (how: never) => faults.Fault>>;

function faultOf({ fault, with: how }: Members): faults.Fault {
  const make = Object.hasOwn(FAULTS, String(fault)) ? FAULTS[fault as keyof typeof FAULTS] : undefined;
  if (!make) throw badRequest(`expected fault to be one of ${Object.keys(FAULTS).join(", ")}, got ${String(fault)}`);
  try {
    return (make as (argument: unknown) => faults.Fault)(how);
  } catch (error) {
    throw badRequest(`expected with to be what ${String(fault)} takes: ${(error as Error).message}`);
  }
}

function addFault(cluster: Cluster, body: Members): object {
  const { rule = "next", times, probability } = body;
  const [match, fault] = [matchOf((body["match"] ?? {}) as Members), faultOf(body)];
  if (rule === "next") cluster.faults.next(match, fault, times as number | undefined);
  else if (rule === "always") cluster.faults.always(match, fault);
  else if (rule === "sometimes") cluster.faults.sometimes(match, probability as number, fault);
  else throw badRequest(`expected rule to be next, always or sometimes, got ${JSON.stringify(rule)}`);
  return {};
}

async function settled(cluster: Cluster, { limit }: Members): Promise<object> {
  try {
    await cluster.settled(limit === undefined ? {} : { limit: limit as Duration });
    return {};
  } catch (error) {
    if (error instanceof NotSettled) throw new ApiError("Timeout", error.message);
    throw error;
  }
}

/** Returns the routes of the testing API. */
export function controlRoutes(cluster: () => Cluster): readonly Route[] {
  const marks = new Map<string, Mark>();
  const mark: Action = (target) => {
    const name = String(marks.size + 1);
    marks.set(name, target.mark());
    return { mark: name };
  };
  const reset: Action = async (target, { mark: name }) => {
    const to = marks.get(name as string);
    if (name !== undefined && !to) throw badRequest(`expected a mark that was set, got ${JSON.stringify(name)}`);
    await target.reset(to);
    return {};
  };
  const clear: Action = (target) => {
    target.faults.clear();
    return {};
  };
  const route = (name: string, actions: Readonly<Record<string, Action>>): Route => ({
    path: `${CONTROL_PATH}/${name}`,
    methods: Object.keys(actions),
    listed: () => [],
    handle: (_server, request) => perform(cluster(), request, actions[request.incoming.sent.method]!),
  });
  return [
    route("mark", { POST: mark }),
    route("reset", { POST: reset }),
    route("settled", { POST: settled }),
    route("requests", { POST: (target, body) => ({ requests: target.requests(matchOf(body)) }) }),
    route("faults", { POST: addFault, DELETE: clear }),
  ];
}

async function perform(cluster: Cluster, request: ServerRequest, act: Action): Promise<void> {
  // This request waits for the running work, so it does not count as running.
  using _parked = request.park();
  const body = await membersOf(request);
  try {
    respond(request, await act(cluster, body));
  } catch (error) {
    throw error instanceof ApiError ? error : badRequest((error as Error).message);
  }
}

async function membersOf({ incoming: { sent } }: ServerRequest): Promise<Members> {
  if (!sent.hasBody) return {};
  const text = Buffer.from(await sent.readBody(MAX_BODY_BYTES)).toString("utf8");
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Members;
  } catch {
    // The error is thrown below.
  }
  throw badRequest(`expected the body to be a JSON object, got ${text.slice(0, 100)}`);
}

const respond = ({ response }: ServerRequest, value: object): void =>
  response.respond(200, response.headers("application/json"), Buffer.from(JSON.stringify(value)));
