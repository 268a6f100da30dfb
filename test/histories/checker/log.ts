/**
 * The one log that all who took part must have seen parts of: every change of a resource in order of resourceVersion,
 * put together from all watches, answers and reads.
 *
 * Where no watch was up (its server was killed and had forgotten the past when it came back) changes may be missing. The
 * log knows of which revisions it has everything: a statement about others is neither true nor false.
 *
 * @module
 */
import { type Beginning, type History, type Seen, type Stream, isPut, resourceOf } from "../history.ts";
import { type Findings, named } from "./findings.ts";
import { Intervals } from "./intervals.ts";

/** A change of one object. */
export interface Change {
  readonly key: string;
  readonly revision: number;
  readonly type: "put" | "delete";
  /** The new value after a put, the last one before a delete. */
  readonly object: Seen;
  /** Whether a watch of everything has told of it, rather than only an answer or a read. */
  watched: boolean;
  /** Who told of it first. */
  readonly by: string;
}

/** What an object was at some revision. */
export interface State {
  /** Nothing when it was not there. */
  readonly object: Seen | undefined;
  /** The revision of the change that made it so. */
  readonly since: number;
  /** Whether that is sure. */
  readonly certain: boolean;
}

/** See the head of this file. */
export class ResourceLog {
  readonly scope: string;
  readonly beginning: Beginning;
  /** The revisions of which all changes are known. */
  readonly known: Intervals = new Intervals();
  readonly #byRevision = new Map<number, Change>();
  #changes: Change[] = [];
  readonly #chains = new Map<string, Change[]>();
  readonly #first: ReadonlyMap<string, Seen>;

  constructor(beginning: Beginning) {
    this.scope = beginning.scope;
    this.beginning = beginning;
    this.#first = new Map(beginning.objects.map((object) => [object.key, object]));
  }

  /** All changes, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** Every key that there was. */
  get keys(): Iterable<string> {
    return new Set([...this.#chains.keys(), ...this.#first.keys()]);
  }

  /** The changes of a key, in order. */
  chain(key: string): readonly Change[] {
    return this.#chains.get(key) ?? [];
  }

  at(revision: number): Change | undefined {
    return this.#byRevision.get(revision);
  }

  /** Adds a seen change; a change that is reported in two ways is a violation. */
  add(change: Change, findings: Findings): void {
    const { by } = change;
    if (change.revision <= this.beginning.revision) {
      this.#compareWithFirst(change, findings);
      return;
    }
    const known = this.#byRevision.get(change.revision);
    if (!known) {
      this.#byRevision.set(change.revision, change);
      return;
    }
    findings.expect(sameChange(known, change), "one truth", () => {
      const [a, b] = [known, change].map(({ type, object }) => `${type} ${named(object)} ${object.uid}`);
      return `at ${change.revision} ${by} saw ${b}, others saw ${a}`;
    });
    known.watched ||= change.watched;
  }

  /** Puts the changes in order, when all have been added. */
  order(): void {
    this.#changes = [...this.#byRevision.values()].toSorted((a, b) => a.revision - b.revision);
    for (const change of this.#changes) {
      const chain = this.#chains.get(change.key);
      if (chain) chain.push(change);
      else this.#chains.set(change.key, [change]);
    }
  }

  /** What a key was right after the changes up to `revision`. */
  stateAt(key: string, revision: number): State {
    const chain = this.chain(key);
    const last = chain[upperBound(chain, revision) - 1];
    const since = last?.revision ?? this.beginning.revision;
    const certain = this.known.covers(since, revision);
    if (!last) return { object: this.#first.get(key), since, certain };
    return { object: last.type === "put" ? last.object : undefined, since, certain };
  }

  /** The first known change of a key after `revision`. */
  nextOf(key: string, revision: number): Change | undefined {
    const chain = this.chain(key);
    return chain[upperBound(chain, revision)];
  }

  /** Where in {@link changes} those after `revision` begin. */
  indexAfter(revision: number): number {
    return upperBound(this.#changes, revision);
  }

  /** The first known change of a scope after `revision`. */
  nextIn(scope: string, revision: number): Change | undefined {
    for (let i = this.indexAfter(revision); i < this.#changes.length; i++) {
      if (this.#changes[i]!.key.startsWith(scope)) return this.#changes[i];
    }
    return undefined;
  }

  /** Whether every change since the beginning is known. */
  get complete(): boolean {
    return this.known.covers(this.beginning.revision, this.#changes.at(-1)?.revision ?? 0);
  }

  /** The object of a key in the beginning. */
  first(key: string): Seen | undefined {
    return this.#first.get(key);
  }

  #compareWithFirst(change: Change, findings: Findings): void {
    if (change.type === "delete") return;
    const first = this.#first.get(change.key);
    findings.expect(
      first === undefined || first.revision !== change.revision ? undefined : sameObject(first, change.object),
      "one truth",
      () => `${change.by} saw ${named(change.object)}, in the beginning it was ${named(first!)}`,
    );
  }
}

/** The logs of all resources, from all that was recorded. */
export function logsOf(history: History, findings: Findings): Map<string, ResourceLog> {
  const logs = new Map(history.beginnings.map((beginning) => [beginning.scope, new ResourceLog(beginning)]));
  for (const stream of history.streams) addStream(logs, stream, findings);
  for (const { request, outcome, client } of history.operations) {
    const seen = outcome.is === "object" ? [outcome.object] : [];
    const listed = outcome.is === "list" ? outcome.pages.flatMap(({ objects }) => objects) : [];
    const by = `${client} (${request.verb}${isPut(request) ? ` ${request.id}` : ""})`;
    for (const object of [...seen, ...listed]) addSeen(logs, object, findings, by);
  }
  for (const log of logs.values()) log.order();
  checkRevisions(logs, findings);
  return logs;
}

function addSeen(logs: ReadonlyMap<string, ResourceLog>, object: Seen, findings: Findings, by: string): void {
  const { key, revision } = object;
  const change: Change = { key, revision, type: "put", object, watched: false, by };
  logs.get(resourceOf(key))?.add(change, findings);
}

function addStream(logs: ReadonlyMap<string, ResourceLog>, stream: Stream, findings: Findings): void {
  const { scope, colour, frames } = stream;
  let from = stream.from;
  let reached = 0;
  for (const frame of frames) {
    if (frame.type === "ERROR") break;
    if (frame.type === "BOOKMARK") {
      if (frame.initialEnd && from === "initial") from = frame.revision;
      reached = Math.max(reached, frame.revision);
      continue;
    }
    const { object, type } = frame;
    const { key, revision } = object;
    if (from !== "initial") reached = Math.max(reached, revision);
    // Of a selection, an end tells only that the object does not match any more.
    if (type === "DELETED" && colour !== undefined) continue;
    const whole = colour === undefined && from !== "initial";
    const kind = type === "DELETED" ? "delete" : "put";
    const change: Change = { key, revision, type: kind, object, watched: whole, by: stream.client };
    logs.get(resourceOf(key))?.add(change, findings);
  }
  if (colour !== undefined || from === "initial") return;
  for (const log of logs.values()) {
    if (log.scope.startsWith(scope)) log.known.add(from, reached);
  }
}

/** Every revision belongs to one change, also across resources. */
function checkRevisions(logs: ReadonlyMap<string, ResourceLog>, findings: Findings): void {
  const seen = new Map<number, Change>();
  for (const log of logs.values()) {
    for (const change of log.changes) {
      const other = seen.get(change.revision);
      findings.expect(other === undefined, "one truth", () => {
        return `revision ${change.revision} is that of ${named(change.object)} and of ${named(other!.object)}`;
      });
      seen.set(change.revision, change);
    }
  }
}

/** Whether two are the same state of the same object; a delete shows the last state under its own revision. */
export const sameObject = (a: Seen, b: Seen): boolean =>
  a.key === b.key && a.uid === b.uid && a.id === b.id && a.colour === b.colour;

const sameChange = (a: Change, b: Change): boolean => a.type === b.type && sameObject(a.object, b.object);

/** The number of changes at `revision` or before. */
function upperBound(changes: readonly Change[], revision: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
