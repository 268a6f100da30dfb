/**
 * Reads against the log: a get shows what the object was at a moment that fits, a list the state of one
 * resourceVersion, and whoever was refused was refused for a reason that held while they asked.
 *
 * @module
 */
import { type Get, type List, type Operation, type Page, type Seen, isPut, resourceOf } from "../history.ts";
import { type Findings, named, told } from "./findings.ts";
import { type ResourceLog, sameObject } from "./log.ts";
import type { Times } from "./times.ts";

type Logs = ReadonlyMap<string, ResourceLog>;

/** Checks what all reads that succeeded have shown, and what that says of times. */
export function checkReads(logs: Logs, operations: readonly Operation[], times: Times, findings: Findings): void {
  for (const operation of operations) {
    const { request, outcome } = operation;
    if (request.verb === "get" && outcome.is === "object") {
      checkGet(request, outcome.object, operation, logs.get(resourceOf(request.key))!, times, findings);
    }
    if (request.verb === "list" && outcome.is === "list") {
      checkList(request, outcome.pages, operation, logs.get(resourceOf(request.scope))!, times, findings);
    }
  }
}

function checkGet(
  { key, fresh }: Get,
  object: Seen,
  operation: Operation,
  log: ResourceLog,
  times: Times,
  findings: Findings,
): void {
  const what = (): string => told(operation);
  findings.expect(object.key === key, "answer", what);
  times.notAfter(object.revision, operation.return, () => `${what()} was answered`);
  const next = log.nextOf(key, object.revision);
  if (!next) return;
  if (fresh.is === "newest")
    times.notBefore(next.revision, operation.call, () => `${what()} did not see ${next.revision}`);
  if (fresh.is === "notOlder") findings.expect(next.revision > fresh.than, "not older", what);
}

function checkList(
  list: List,
  pages: readonly Page[],
  operation: Operation,
  log: ResourceLog,
  times: Times,
  findings: Findings,
): void {
  const { scope, fresh } = list;
  const { revision } = pages[0]!;
  const what = (): string => told(operation);
  findings.expect(
    pages.every((page) => page.revision === revision),
    "one revision",
    what,
  );
  if (list.limit !== undefined) {
    findings.expect(
      pages.every(({ objects }) => objects.length <= list.limit!),
      "page",
      what,
    );
  }
  times.notAfter(revision, operation.return, () => `${what()} was answered`);
  if (fresh.is === "newest") {
    const next = log.nextIn(scope, revision);
    if (next) times.notBefore(next.revision, operation.call, () => `${what()} did not see ${next.revision}`);
  }
  if (fresh.is === "notOlder") findings.expect(revision >= fresh.than, "not older", what);
  if (fresh.is === "exact") findings.expect(revision === fresh.at, "exact", what);
  checkState(
    log,
    list,
    pages.flatMap(({ objects }) => objects),
    revision,
    findings,
    what,
  );
}

/** Whether `objects` is all that there was of a scope and colour at a revision. */
export function checkState(
  log: ResourceLog,
  { scope, colour }: { readonly scope: string; readonly colour?: string },
  objects: readonly Seen[],
  revision: number,
  findings: Findings,
  what: () => string,
): void {
  const shown = new Map(objects.map((object) => [object.key, object]));
  findings.expect(shown.size === objects.length, "state", () => `${what()}: an object is there twice`);
  findings.expect(
    [...shown.keys()].every((key) => key.startsWith(scope)),
    "state",
    () => `${what()}: beyond ${scope}`,
  );
  if (revision < log.beginning.revision) {
    findings.skipped++;
    return;
  }
  for (const key of log.keys) {
    if (!key.startsWith(scope)) continue;
    const { object, certain } = log.stateAt(key, revision);
    const expected = colour === undefined || object?.colour === colour ? object : undefined;
    const found = shown.get(key);
    const right =
      expected && found ? expected.revision === found.revision && sameObject(expected, found) : expected === found;
    findings.expect(certain ? right : undefined, "state", () => {
      return `${what()} at ${revision} shows ${found ? named(found) : `no ${key}`}, it was ${expected ? named(expected) : "not there"}`;
    });
  }
}

/** Checks that every refusal had its reason; needs the conclusions of {@link Times}. */
export function checkRefusals(logs: Logs, operations: readonly Operation[], times: Times, findings: Findings): void {
  for (const operation of operations) {
    const { request, outcome } = operation;
    if (outcome.is !== "refused" || outcome.code === 429) continue;
    const { code } = outcome;
    if (request.verb === "list") {
      findings.expect(code === 410, "refusal", () => told(operation));
      continue;
    }
    const { key } = request;
    const log = logs.get(resourceOf(key))!;
    const allowed = request.verb === "get" ? code === 404 : code === 404 || code === 409;
    findings.expect(allowed, "refusal", () => told(operation));
    if (!allowed) continue;
    const expected = request.verb === "get" ? undefined : request.expected;
    const uid = request.verb === "delete" ? request.uid : undefined;
    const fits = (object: Seen | undefined): boolean => {
      if (code === 404) return object === undefined;
      if (object === undefined) return false;
      if (expected === undefined && uid === undefined) return true;
      return (expected !== undefined && object.revision !== expected) || (uid !== undefined && object.uid !== uid);
    };
    if (code === 404 && isPut(request)) {
      findings.expect(request.verb !== "create" && request.verb !== "apply", "refusal", () => told(operation));
    }
    if (request.verb === "apply") continue;
    findings.expect(wasOnce(log, key, operation, times, fits), "refusal", () => told(operation));
  }
}

/** Whether a key can have been in a state that `fits` while an operation ran (for a read from a cache: ever before). */
function wasOnce(
  log: ResourceLog,
  key: string,
  operation: Operation,
  times: Times,
  fits: (object: Seen | undefined) => boolean,
): boolean | undefined {
  const { request, call, return: end } = operation;
  const fresh = request.verb === "get" ? request.fresh : undefined;
  const after = fresh?.is === "any" || fresh?.is === "notOlder" ? -Infinity : call;
  const oldest = fresh?.is === "notOlder" ? fresh.than : 0;
  const chain = log.chain(key);
  let unsure = false;
  for (let i = -1; i < chain.length; i++) {
    const from = chain[i]?.revision ?? log.beginning.revision;
    const next = chain[i + 1];
    if (i >= 0 && times.earliest(from) > end) break;
    if (next && (times.latest(next.revision) < after || next.revision <= oldest)) continue;
    const object = i < 0 ? log.first(key) : chain[i]!.type === "put" ? chain[i]!.object : undefined;
    if (fits(object)) return true;
    // Between the two there may be a change that was never seen.
    const known = log.known.reach(from);
    unsure ||= known < (next ? next.revision - 1 : times.newest) && times.earliest(known + 1) <= end;
  }
  return unsure ? undefined : false;
}
