/**
 * Writes against the log: every change was asked for by one request, once, under the conditions of that request, and
 * every answer tells what the log tells.
 *
 * @module
 */
import { type Delete, type Operation, type Put, isPut, resourceOf } from "../history.ts";
import { type Findings, named, told } from "./findings.ts";
import { type Change, type ResourceLog, type State, sameObject } from "./log.ts";
import { match } from "./matching.ts";
import type { Times } from "./times.ts";

type Logs = ReadonlyMap<string, ResourceLog>;

/** Which request made a change; nothing where that is not known. */
export type Authors = Map<Change, Operation>;

/** Checks all writes; returns who made which change. */
export function checkWrites(logs: Logs, operations: readonly Operation[], times: Times, findings: Findings): Authors {
  const authors: Authors = new Map();
  const puts = putsById(operations);
  for (const log of logs.values()) {
    const uids = new Set(log.beginning.objects.map(({ uid }) => uid));
    const ids = new Set<string>();
    for (const change of log.changes) {
      const state = log.stateAt(change.key, change.revision - 1);
      checkUid(change, state, uids, findings);
      if (change.type === "put") {
        const author = checkPut(change, state, puts, ids, times, findings);
        if (author) authors.set(change, author);
      }
      checkKnown(change, log, findings);
    }
  }
  for (const operation of operations) {
    if (isPut(operation.request)) checkAnswer(operation.request, operation, logs, times, findings);
  }
  checkDeletes(logs, operations, times, findings, authors);
  return authors;
}

function putsById(operations: readonly Operation[]): Map<string, Operation> {
  const puts = new Map<string, Operation>();
  for (const operation of operations) {
    if (isPut(operation.request) && !operation.request.same) puts.set(operation.request.id, operation);
  }
  return puts;
}

/** An object keeps its uid for life, and no other ever gets it. */
function checkUid(change: Change, state: State, uids: Set<string>, findings: Findings): void {
  const { object, type } = change;
  const before = state.object;
  if (type === "put" && !before) {
    findings.expect(state.certain ? !uids.has(object.uid) : undefined, "uid", () => `${named(object)} has an old uid`);
  } else {
    const holds = before && before.uid === object.uid;
    findings.expect(state.certain ? holds === true : undefined, type === "put" ? "uid" : "last object", () => {
      return `${type} ${named(object)} has the uid ${object.uid}, before it was ${before?.uid ?? "not there"}`;
    });
  }
  if (type === "delete" && before && state.certain) {
    findings.expect(
      sameObject(before, object),
      "last object",
      () => `${named(object)} was deleted as ${named(before)}`,
    );
  }
  uids.add(object.uid);
}

function checkPut(
  change: Change,
  state: State,
  puts: ReadonlyMap<string, Operation>,
  ids: Set<string>,
  times: Times,
  findings: Findings,
): Operation | undefined {
  const { object, revision, key } = change;
  const author = puts.get(object.id);
  if (!author) {
    findings.broken("thin air", `nobody wrote ${named(object)}`);
    return undefined;
  }
  const { request, outcome } = author;
  const put = request as Put;
  const { expected, verb } = put;
  const before = state.object;
  findings.expect(!ids.has(object.id), "once", () => `${told(author)} happened again at ${revision}`);
  ids.add(object.id);
  findings.expect(
    put.key === key && put.colour === object.colour,
    "content",
    () => `${told(author)} became ${named(object)}`,
  );
  findings.expect(outcome.is !== "refused", "refused", () => `${told(author)} happened at ${revision}`);
  const created = outcome.is === "object" ? outcome.status === 201 : undefined;
  const mustBeThere = verb === "update" || verb === "patch" || created === false;
  const mustNotBe = verb === "create" || created === true;
  const sure = state.certain || undefined;
  const what = (): string =>
    `${told(author)} happened at ${revision}, before it there was ${before ? named(before) : "nothing"}`;
  if (mustBeThere) findings.expect(sure && before !== undefined, "precondition", what);
  if (mustNotBe) findings.expect(sure && before === undefined, "precondition", what);
  if (expected !== undefined) findings.expect(sure && before?.revision === expected, "precondition", what);
  times.notBefore(revision, author.call, () => `${told(author)} made ${revision}`);
  return author;
}

/** What was acknowledged or read has been told by a watch that tells everything. */
function checkKnown(change: Change, log: ResourceLog, findings: Findings): void {
  const { revision, watched, by, object } = change;
  const known = watched || (log.known.covers(revision - 1, revision) ? false : undefined);
  findings.expect(known, "lost", () => `${named(object)} was shown to ${by} and is not in the log of all changes`);
}

/** An acknowledged write is in the log at the revision in its response; one that changed nothing has the old one. */
function checkAnswer(put: Put, operation: Operation, logs: Logs, times: Times, findings: Findings): void {
  const { outcome } = operation;
  if (outcome.is !== "object") return;
  const { object } = outcome;
  const right = object.key === put.key && object.id === put.id && object.colour === put.colour;
  findings.expect(right, "answer", () => told(operation));
  if (outcome.status === 201) {
    findings.expect(put.verb === "create" || put.verb === "apply", "answer", () => told(operation));
  }
  times.notAfter(object.revision, operation.return, () => `${told(operation)} was answered`);
  if (put.same) {
    findings.expect(object.revision === put.expected, "no change", () => told(operation));
    const next = logs.get(resourceOf(put.key))?.nextOf(put.key, object.revision);
    if (next) times.notBefore(next.revision, operation.call, () => `${told(operation)} did not see ${next.revision}`);
    return;
  }
  times.notBefore(object.revision, operation.call, () => told(operation));
}

/** Every delete in the log has a request of its own; every acknowledged one is there. */
function checkDeletes(
  logs: Logs,
  operations: readonly Operation[],
  times: Times,
  findings: Findings,
  authors: Authors,
): void {
  const asked = Map.groupBy(
    operations.filter(({ request, outcome }) => request.verb === "delete" && outcome.is !== "refused"),
    ({ request }) => (request as Delete).key,
  );
  for (const log of logs.values()) {
    for (const key of new Set([...log.keys, ...[...asked.keys()].filter((k) => resourceOf(k) === log.scope)])) {
      const deletes = log.chain(key).filter(({ type }) => type === "delete");
      const requests = asked.get(key) ?? [];
      const acknowledged = requests.filter(({ outcome }) => outcome.is === "deleted");
      for (const operation of acknowledged) {
        const change = deletes.find((d) => d.object.uid === (operation.outcome as { uid: string }).uid);
        if (!change) missing(operation, operations, log, findings);
        else claim(change, operation, log, times, findings, authors);
      }
      checkRest(log, deletes, requests, times, findings, authors);
    }
  }
}

/**
 * An acknowledged delete that no watch has told of: excused only where changes may be missing, also behind the last one
 * that is known. What was written after the delete was answered has a later revision, so the log must reach one of those.
 */
function missing(operation: Operation, operations: readonly Operation[], log: ResourceLog, findings: Findings): void {
  const later = operations.flatMap(({ request, outcome, call }) =>
    isPut(request) && !request.same && outcome.is === "object" && call > operation.return
      ? [outcome.object.revision]
      : [],
  );
  const next = Math.min(...later);
  findings.expect(
    Number.isFinite(next) && log.known.covers(log.beginning.revision, next) ? false : undefined,
    "lost",
    () => `${told(operation)} is not in the log of all changes`,
  );
}

function claim(
  change: Change,
  operation: Operation,
  log: ResourceLog,
  times: Times,
  findings: Findings,
  authors: Authors,
): void {
  findings.expect(!authors.has(change), "once", () => `${told(operation)} was done before`);
  authors.set(change, operation);
  checkConditions(change, operation, log, findings);
  times.notBefore(change.revision, operation.call, () => `${told(operation)} made ${change.revision}`);
  times.notAfter(change.revision, operation.return, () => `${told(operation)} was answered`);
}

function checkConditions(change: Change, operation: Operation, log: ResourceLog, findings: Findings): void {
  const { expected, uid } = operation.request as Delete;
  const before = log.stateAt(change.key, change.revision - 1);
  const sure = before.certain || undefined;
  const what = (): string => `${told(operation)} removed ${before.object ? named(before.object) : "nothing"}`;
  if (expected !== undefined) findings.expect(sure && before.object?.revision === expected, "precondition", what);
  if (uid !== undefined) findings.expect(sure && before.object?.uid === uid, "precondition", what);
}

/** Unacknowledged deletes: one request with unknown outcome for each. */
function checkRest(
  log: ResourceLog,
  deletes: readonly Change[],
  requests: readonly Operation[],
  times: Times,
  findings: Findings,
  authors: Authors,
): void {
  const rest = deletes.filter((change) => !authors.has(change));
  const unknown = requests.filter(({ outcome }) => outcome.is === "unknown");
  const candidates = rest.map((change) =>
    [...unknown.keys()].filter((i) => {
      const { expected, uid } = unknown[i]!.request as Delete;
      const before = log.stateAt(change.key, change.revision - 1);
      if (!before.certain) return true;
      return (
        (expected === undefined || before.object?.revision === expected) &&
        (uid === undefined || before.object?.uid === uid)
      );
    }),
  );
  for (const [i, matched] of match(candidates).entries()) {
    const change = rest[i]!;
    findings.expect(matched !== undefined, "thin air", () => `nobody asked for the delete of ${named(change.object)}`);
    if (matched === undefined) continue;
    const earliest = Math.min(...candidates[i]!.map((c) => unknown[c]!.call));
    times.notBefore(
      change.revision,
      earliest,
      () => `no delete of ${named(change.object)} was asked for before ${earliest}`,
    );
    if (candidates[i]!.length === 1) authors.set(change, unknown[matched]!);
  }
}
