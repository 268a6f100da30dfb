/**
 * Writes traces by hand, for tests.
 *
 * @module
 */
import type { StoredObject } from "../contract/state.ts";
import type { ObjectRef, RequestEntry, Trace, TraceEntry } from "../contract/trace.ts";

type Draft = TraceEntry extends infer E ? (E extends TraceEntry ? Omit<E, "seq" | "at"> : never) : never;
type NamedRef = ObjectRef & { readonly name: string };

/** The members of an object that a test sets. */
export interface BuiltObject {
  readonly kind: string;
  readonly name: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly finalizers?: readonly string[];
  readonly spec?: object;
}

const refOf = ({ kind, name }: Pick<BuiltObject, "kind" | "name">): NamedRef => {
  return { group: "", kind, namespace: "default", name };
};

/** A trace that grows; the clock stands still unless a test moves it. */
export class TraceBuilder {
  readonly #trace: TraceEntry[] = [];
  readonly #stored = new Map<string, StoredObject>();
  #revision = 0;
  at = 0;

  get trace(): Trace {
    return this.#trace;
  }

  add(entry: Draft): this {
    this.#trace.push({ ...entry, seq: this.#trace.length, at: this.at } as TraceEntry);
    return this;
  }

  step(step: number): this {
    return this.add({ type: "step", step, name: `step ${step}`, phase: "begun" });
  }

  quiet(step: number): this {
    return this.add({ type: "step", step, name: `step ${step}`, phase: "quiet" });
  }

  /** Stores or deletes an object, and adds the change. */
  change(actor: string, verb: string, { kind, name, generateName, uid, finalizers, spec }: BuiltObject): this {
    const key = `${kind}/${name}`;
    const before = this.#stored.get(key);
    const after: StoredObject = {
      apiVersion: "v1",
      kind,
      metadata: {
        name,
        namespace: "default",
        uid: uid ?? before?.metadata.uid ?? `${kind}-${name}-${this.#revision}`,
        resourceVersion: String(++this.#revision),
        ...(generateName !== undefined && { generateName }),
        ...(finalizers && { finalizers }),
      },
      ...(spec && { spec }),
    };
    if (verb === "delete") this.#stored.delete(key);
    else this.#stored.set(key, after);
    return this.add({
      type: "change",
      actor,
      revision: this.#revision,
      change: verb === "delete" ? "deleted" : before ? "updated" : "created",
      object: refOf({ kind, name }),
      uid: after.metadata.uid,
      ...(before && { before }),
      after,
    });
  }

  /** Delivers the last change. */
  deliver(actor = "op", life = 0): this {
    const last = this.#trace.findLast((entry) => entry.type === "change")!;
    const change = { created: "ADDED", updated: "MODIFIED", deleted: "DELETED" } as const;
    const { object, uid, revision } = last;
    return this.add({ type: "delivery", actor, life, change: change[last.change], object, uid, revision });
  }

  /** A request of a program that changes nothing by default. */
  request(actor: string, verb: string, object: ObjectRef, more: Partial<RequestEntry> = {}): this {
    return this.add({
      type: "request",
      actor,
      life: 0,
      protocol: "api",
      verb,
      object,
      code: 200,
      changed: false,
      ...more,
    });
  }

  /** A write of a program: its change, its response, and its delivery to the program. */
  write(verb: string, object: BuiltObject, more: Partial<RequestEntry> = {}, actor = "op"): this {
    const { name, ...ref } = refOf(object);
    const { generateName } = object;
    this.change(actor, verb, object).request(actor, verb, generateName === undefined ? { ...ref, name } : ref, {
      changed: true,
      revision: this.#revision,
      ...(generateName !== undefined && { generateName }),
      ...more,
    });
    return this.deliver(actor, more.life);
  }

  /** A change by the user or by the cluster, delivered to the program. */
  news(verb: string, object: BuiltObject, actor = "user"): this {
    return this.change(actor, verb, object).deliver();
  }
}
