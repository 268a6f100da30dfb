/**
 * The filters that record requests and apply faults.
 *
 * Records and faults belong to the test cluster, so they stay when a server replaces another one (`reset()`).
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { unavailable } from "../meta/status.ts";
import type { Filter, ServerContext, ServerRequest } from "../server/index.ts";
import { DEFAULT_FILTERS, withFilter } from "../server/index.ts";
import { type Clock, sleep } from "../util/clock.ts";
import { memoizeLast } from "../util/once.ts";
import { type Fault, type RequestPlay, isWatchFault } from "./fault.ts";
import type { FaultBook } from "./faults.ts";
import { senderOf } from "./sender.ts";
import type { OpenRecord, Origin, Traffic, Verb } from "./traffic.ts";
import { FaultyWatch } from "./watch-faults.ts";

/** The parts of the filters. */
export interface FilterParts {
  readonly traffic: Traffic;
  readonly faults: FaultBook;
  readonly clock: Clock;
  /** Aborted when the server of these filters closes. */
  readonly closing: AbortSignal;
  /** Further filters, right before a request is handled. */
  readonly last: readonly Filter[];
}

/** A request that is being handled. */
interface Passing {
  readonly record: OpenRecord;
  fault: Fault | undefined;
  /** Set for a watch. */
  watch: FaultyWatch | undefined;
}

/** Whether the store refuses the writes of the current request. */
const refusing = new AsyncLocalStorage<() => boolean>();

/** Whether the store should refuse the current write. */
export const shouldRefuseWrite = (): boolean => refusing.getStore()?.() ?? false;

/** Returns the filters of a server, with the recorder and the faults. */
export function filtersOf(parts: FilterParts): readonly Filter[] {
  const passing = new WeakMap<ServerRequest, Passing>();
  const recorded = withFilter(recorder(parts, passing), { after: "read path" }, DEFAULT_FILTERS);
  const disturbed = withFilter(player(parts, passing), { before: "handle" }, recorded);
  return parts.last.reduce((all, one) => withFilter(one, { before: "handle" }, all), disturbed);
}

const APPLY = "application/apply-patch+";

function recorder({ traffic, clock }: FilterParts, passing: WeakMap<ServerRequest, Passing>): Filter {
  return {
    name: "record",
    enter(server, request) {
      if (!request.info.isResource) return;
      const record = openRecord(server, request, clock);
      passing.set(request, { record, fault: undefined, watch: undefined });
      traffic.add(record);
    },
    decoded(_server, request) {
      const found = passing.get(request);
      if (found) addSent(found.record, request);
    },
    leave(_server, request) {
      const found = passing.get(request);
      if (found) addResponse(found.record, request);
    },
    ended(_server, request) {
      const found = passing.get(request);
      if (found && request.response.longRunning) found.record.events = request.response.events;
    },
  };
}

/** Many requests may come while the clock stands still. */
const isoOf = memoizeLast((millis: number) => new Date(millis).toISOString());

function openRecord({ registry }: ServerContext, request: ServerRequest, clock: Clock): OpenRecord {
  const { group, version, resource, namespace, namespaced, name, subresource, verb } = request.info;
  const { sent, query, userAgent } = request.incoming;
  const isApply = verb === "patch" && sent.header("content-type").startsWith(APPLY);
  const fieldManager = query.text("fieldManager");
  return {
    verb: (isApply ? "apply" : verb) as Verb,
    kind: registry.find(group, version, resource)?.definition.kind ?? resource,
    group,
    ...(namespaced ? { namespace } : {}),
    ...(name === "" ? {} : { name }),
    ...(subresource === "" ? {} : { subresource }),
    ...(fieldManager ? { fieldManager } : {}),
    dryRun: query.text("dryRun") === "All",
    user: request.identity.user,
    userAgent,
    origin: originOf(request),
    at: isoOf(clock.now()),
    changed: false,
  };
}

/** The clients of built-in controllers have an identity and no sender; no other clients of this process do. */
function originOf({ incoming: { sent } }: ServerRequest): Origin {
  const sender = senderOf(sent.connection);
  return sender?.origin ?? (sent.identity === undefined ? "subject" : "builtin");
}

/** Records facts that are known once the body is read. */
function addSent(record: OpenRecord, request: ServerRequest): void {
  record.user = request.identity.user;
  if (request.body === undefined) return;
  record.body = request.body;
  const { name } = (request.body as { metadata?: { name?: unknown } } | null)?.metadata ?? {};
  if (record.verb === "create" && typeof name === "string" && record.name === undefined) record.name = name;
}

/** Records facts that are known after the response, or after its loss. */
function addResponse(record: OpenRecord, { identity, response }: ServerRequest): void {
  const { code, reason, changed } = response;
  record.user = identity.user;
  record.changed = changed;
  if (code !== 0) record.code = code;
  if (reason !== undefined) record.reason = reason;
}

function player(parts: FilterParts, passing: WeakMap<ServerRequest, Passing>): Filter {
  const { faults, clock } = parts;
  return {
    name: "faults",
    enter(_server, request) {
      const found = passing.get(request);
      if (!found) return;
      if (found.record.verb === "watch") {
        request.response.wrapWatch = (output) => {
          const watch = new FaultyWatch(output, found.record, clock, isControllers(request));
          found.watch = watch;
          const closed = faults.watchOpened(watch);
          request.response.responder.onOver(closed);
          if (found.fault && isWatchFault(found.fault)) watch.play(found.fault);
          return watch;
        };
        return;
      }
      const { handle } = request;
      if (handle) request.handle = () => refusing.run(refusal(faults, found), handle);
    },
    decoded(_server, request) {
      const found = passing.get(request);
      if (!found || faults.idle) return undefined;
      found.fault = faults.meet(found.record, "request");
      return found.fault && playBefore(parts, request, found);
    },
    handled(_server, request) {
      playAfter(request, passing.get(request));
    },
    leave(_server, request) {
      const found = passing.get(request);
      if (!found?.watch) return;
      found.watch.begin();
      playAfter(request, found);
    },
  };
}

function playBefore(parts: FilterParts, request: ServerRequest, { fault, record }: Passing): void | Promise<void> {
  const play = fault!.play as RequestPlay;
  switch (play.act) {
    case "refuse": {
      const { group, plural, kind } = request.resource!.definition;
      throw play.error({ group, plural, kind }, record.name ?? "");
    }
    case "wait":
      return wait(parts, request, play.millis);
    case "drop":
    case "crash":
      if (play.when === "after") return undefined;
      if (play.act === "crash") crashSender(request);
      request.response.responder.destroy();
      return undefined;
    default:
      return undefined;
  }
}

/** Drops the connection after the request was handled: its response, or a watch that has begun. */
function playAfter(request: ServerRequest, { fault, watch }: Partial<Passing> = {}): void {
  const play = fault?.play;
  if ((play?.act !== "drop" && play?.act !== "crash") || play.when === "before") return;
  if (play.act === "crash") crashSender(request);
  (watch ?? request.response.responder).destroy();
}

/** Returns whether the store refuses the writes of a request; decided at its first write. */
function refusal(faults: FaultBook, passing: Passing): () => boolean {
  let isDecided = false;
  return () => {
    if (!isDecided && !passing.fault) passing.fault = faults.meet(passing.record, "store");
    isDecided = true;
    return passing.fault?.play.act === "storeRefuses";
  };
}

/** Whether a request comes from controllers of `run()`. */
const isControllers = ({ incoming }: ServerRequest): boolean => senderOf(incoming.sent.connection)?.crash !== undefined;

/** Kills the controllers that sent a request; they do not notice the lost response. */
const crashSender = ({ incoming }: ServerRequest): void => senderOf(incoming.sent.connection)?.crash?.();

/** Waits, which does not count as running work; throws if the client has disconnected meanwhile. */
async function wait({ clock, closing }: FilterParts, request: ServerRequest, millis: number): Promise<void> {
  const { sent, rawPath } = request.incoming;
  await holdRequest(request, closing, (signal) =>
    millis === Infinity
      ? new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
      : sleep(clock, millis, signal, { owner: `slow ${sent.method} ${rawPath}` }),
  );
}

/**
 * Holds a request, which does not count as running work meanwhile.
 *
 * @param until waits, at most until its signal is aborted
 * @param closing aborted when the server closes
 * @throws ApiError when the server closes or the client has disconnected
 */
export async function holdRequest(
  request: ServerRequest,
  closing: AbortSignal,
  until: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const gone = new AbortController();
  request.response.responder.onOver(() => gone.abort());
  using _parked = request.park();
  await until(AbortSignal.any([gone.signal, closing]));
  if (closing.aborted) throw unavailable("the server is shutting down");
  if (gone.signal.aborted) throw unavailable("the client has disconnected");
}
