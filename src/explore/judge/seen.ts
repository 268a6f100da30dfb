/**
 * The objects that a program has seen: by deliveries of watches, and by responses to its reads and writes.
 *
 * @module
 */
import type { Actor, ChangeEntry, ObjectRef, RequestEntry, Trace } from "../contract/trace.ts";

/** The real key of an object in a run. */
export const realKey = ({ group, kind, namespace, name }: ObjectRef): string =>
  `${group}|${kind}|${namespace ?? ""}|${name ?? ""}`;

/** Whether a request is about an object: it names it, or all of its kind (in all namespaces or in one). */
export const concerns = (request: ObjectRef, object: ObjectRef): boolean =>
  request.group === object.group &&
  request.kind === object.kind &&
  (request.namespace === undefined || request.namespace === object.namespace) &&
  (request.name === undefined || request.name === object.name);

const isRead = ({ verb, code, revision }: RequestEntry): boolean =>
  (verb === "get" || verb === "list" || verb === "watch") && code === 200 && revision !== undefined;

/** One start of a program. */
interface Life {
  readonly actor: Actor;
  readonly life: number;
}

/** The changes of a trace by object, in their order, with a lookup of the seen ones. */
export class Sight {
  readonly #trace: Trace;
  /** By {@link realKey}. */
  readonly changes: ReadonlyMap<string, readonly ChangeEntry[]>;
  readonly #reads = new Map<string, RequestEntry[]>();
  readonly #responses = new Map<string, { readonly seq: number; readonly revision: number }[]>();
  /** Of deliveries: by life and uid, and by life and object. */
  readonly #delivered = new Map<string, { readonly seq: number; readonly revision: number }[]>();

  constructor(trace: Trace) {
    this.#trace = trace;
    const changes = new Map<string, ChangeEntry[]>();
    for (const entry of trace) {
      if (entry.type === "change") push(changes, realKey(entry.object), entry);
      else if (entry.type === "delivery") {
        push(this.#delivered, `${lifeKey(entry)}|${entry.uid}`, entry);
        push(this.#delivered, `${lifeKey(entry)}|${realKey(entry.object)}`, entry);
      } else if (entry.type === "request" && isRead(entry)) push(this.#reads, lifeKey(entry), entry);
      else if (entry.type === "request" && entry.changed && entry.revision !== undefined)
        push(this.#responses, lifeKey(entry), { seq: entry.seq, revision: entry.revision });
    }
    this.changes = changes;
  }

  /** The last revision of an object that a life had seen before a moment. */
  lastSeen(life: Life, object: ObjectRef, before: number): number | undefined {
    const history = this.changes.get(realKey(object)) ?? [];
    let last: number | undefined;
    const see = (revision: number): void => {
      last = Math.max(last ?? revision, revision);
    };
    for (const { seq, revision } of this.#delivered.get(`${lifeKey(life)}|${realKey(object)}`) ?? [])
      if (seq < before) see(revision);
    const asOf = (revision: number): void => {
      const change = history.findLast((entry) => entry.revision <= revision);
      if (change) see(change.revision);
    };
    for (const read of this.#reads.get(lifeKey(life)) ?? [])
      if (read.seq < before && concerns(read.object, object)) asOf(read.revision!);
    for (const { seq, revision } of this.#responses.get(lifeKey(life)) ?? [])
      if (seq < before && history.some((entry) => entry.revision === revision)) see(revision);
    return last;
  }

  /** Whether a life had seen an object with this uid before a moment. */
  hasSeen(life: Life, object: ObjectRef, uid: string, before: number): boolean {
    if (this.#delivered.get(`${lifeKey(life)}|${uid}`)?.some(({ seq }) => seq < before)) return true;
    const history = (this.changes.get(realKey(object)) ?? []).filter((entry) => entry.uid === uid);
    const created = history[0]?.change === "created" ? history[0].revision : 0;
    const deleted = history.find(({ change }) => change === "deleted")?.revision ?? Infinity;
    const read = (this.#reads.get(lifeKey(life)) ?? []).some(
      (entry) =>
        entry.seq < before && concerns(entry.object, object) && entry.revision! >= created && entry.revision! < deleted,
    );
    return (
      read ||
      (this.#responses.get(lifeKey(life)) ?? []).some(
        (response) => response.seq < before && history.some((entry) => entry.revision === response.revision),
      )
    );
  }

  /** The change that a request stored: the last one of its actor for its object that no earlier request stored. */
  changeOf(request: RequestEntry): ChangeEntry | undefined {
    if (!request.changed) return undefined;
    for (let seq = request.seq - 1; seq >= 0; seq--) {
      const entry = this.#trace[seq]!;
      if (entry.type === "change" && entry.actor === request.actor && concerns(request.object, entry.object))
        return request.revision === undefined || request.revision === entry.revision || request.verb === "delete"
          ? entry
          : undefined;
    }
    return undefined;
  }

  /** The start of a program that was running at a moment. */
  lifeAt(actor: Actor, at: number): number {
    for (let seq = at; seq >= 0; seq--) {
      const entry = this.#trace[seq]!;
      if (entry.type === "life" && entry.actor === actor && entry.event === "started") return entry.life;
    }
    return 0;
  }
}

const lifeKey = ({ actor, life }: Life): string => `${actor}#${life}`;

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
