/**
 * What stands in the way of requests: the recorder, and the faults.
 *
 * Both hang on the cluster that a test holds, so a server that takes the place of another one (`reset()`) goes on with
 * them.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { unavailable } from "../meta/status.ts";
import type { Filter, ServerContext, ServerRequest } from "../server/index.ts";
import { DEFAULT_FILTERS, withFilter } from "../server/index.ts";
import { type Clock, sleep } from "../util/clock.ts";
import { type Fault, type RequestPlay, isWatchFault } from "./fault.ts";
import type { FaultBook } from "./faults.ts";
import { senderOf } from "./sender.ts";
import type { OpenRecord, Origin, Traffic, Verb } from "./traffic.ts";
import { FaultyWatch } from "./watch-faults.ts";

/** What the filters work with. */
export interface FilterParts {
  readonly traffic: Traffic;
  readonly faults: FaultBook;
  readonly clock: Clock;
  /** Aborted when the server of these filters goes away. */
  readonly closing: AbortSignal;
}

/** A request on its way. */
interface Passing {
  readonly record: OpenRecord;
  fault: Fault | undefined;
  /** Of a watch: what stands in front of its stream. */
  watch: FaultyWatch | undefined;
}

/** Whether the store refuses what the request that is being handled writes. */
const refusing = new AsyncLocalStorage<() => boolean>();

/** Whether the store refuses the write that is being made. */
export const storeIsToRefuse = (): boolean => refusing.getStore()?.() ?? false;

/** The way of a request past recorder and faults. */
export function filtersOf(parts: FilterParts): readonly Filter[] {
  const passing = new WeakMap<ServerRequest, Passing>();
  const recorded = withFilter(recorder(parts, passing), { after: "read path" }, DEFAULT_FILTERS);
  return withFilter(player(parts, passing), { before: "handle" }, recorded);
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
      if (found) addAnswer(found.record, request);
    },
    ended(_server, request) {
      const found = passing.get(request);
      if (found && request.response.longRunning) found.record.events = request.response.events;
    },
  };
}

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
    at: new Date(clock.now()).toISOString(),
    changed: false,
  };
}

/** The built-in controllers' clients are the only ones of this process that are vouched for and have no sender. */
function originOf({ incoming: { sent } }: ServerRequest): Origin {
  const sender = senderOf(sent.connection);
  return sender?.origin ?? (sent.identity === undefined ? "subject" : "builtin");
}

/** What is known of a request when its body has been read. */
function addSent(record: OpenRecord, request: ServerRequest): void {
  record.user = request.identity.user;
  if (request.body === undefined) return;
  record.body = request.body;
  const { name } = (request.body as { metadata?: { name?: unknown } } | null)?.metadata ?? {};
  if (record.verb === "create" && typeof name === "string" && record.name === undefined) record.name = name;
}

/** What is known of a request when it has been answered, or its answer was lost. */
function addAnswer(record: OpenRecord, { identity, response }: ServerRequest): void {
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
      const { answer } = request;
      if (answer) request.answer = () => refusing.run(refusal(faults, found), answer);
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

/** What is lost when all has been done: an answer, or a watch that has begun. */
function playAfter(request: ServerRequest, { fault, watch }: Partial<Passing> = {}): void {
  const play = fault?.play;
  if ((play?.act !== "drop" && play?.act !== "crash") || play.when === "before") return;
  if (play.act === "crash") crashSender(request);
  (watch ?? request.response.responder).destroy();
}

/** Whether the store refuses what a request writes; asked at its first write, once for all that it writes. */
function refusal(faults: FaultBook, passing: Passing): () => boolean {
  let asked = false;
  return () => {
    if (!asked && !passing.fault) passing.fault = faults.meet(passing.record, "store");
    asked = true;
    return passing.fault?.play.act === "storeRefuses";
  };
}

/** Whether controllers of `run()` ask. */
const isControllers = ({ incoming }: ServerRequest): boolean => senderOf(incoming.sent.connection)?.crash !== undefined;

/** Ends who has sent a request, before the answer is lost: so it does not hear of the loss. */
const crashSender = ({ incoming }: ServerRequest): void => senderOf(incoming.sent.connection)?.crash?.();

/** Lets time pass, which is not counted as being under way; nothing is done for who has gone meanwhile. */
async function wait({ clock, closing }: FilterParts, request: ServerRequest, millis: number): Promise<void> {
  const { sent, rawPath } = request.incoming;
  const gone = new AbortController();
  request.response.responder.onOver(() => gone.abort());
  using _parked = request.park();
  const signal = AbortSignal.any([gone.signal, closing]);
  if (millis === Infinity) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  else await sleep(clock, millis, signal, { owner: `slow ${sent.method} ${rawPath}` });
  if (closing.aborted) throw unavailable("the server is shutting down");
  if (gone.signal.aborted) throw unavailable("the client has gone");
}
