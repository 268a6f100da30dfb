/**
 * Runs for tests, written by hand: a store of objects that records operations as a laboratory does.
 *
 * @module
 */
import { Draw } from "../../../util/testing/draw.ts";
import type { Complaint, RunRecord } from "../../contract/laboratory.ts";
import type { Plan } from "../../contract/plan.ts";
import type { DriverObject, StoredObject } from "../../contract/state.ts";
import type { Actor, ChangeEntry, ObjectRef, RequestEntry, TraceEntry } from "../../contract/trace.ts";

type Named = ObjectRef & { readonly name: string };
/** An object as it is sent. */
export interface Sent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

type Unnumbered<T> = T extends unknown ? Omit<T, "seq" | "at"> : never;
/** How a request differs from the usual one. */
export interface Unusual {
  readonly life?: number;
  /** Whether its response is lost. */
  readonly lost?: boolean;
  readonly subresource?: string;
  readonly sent?: unknown;
  readonly fieldManager?: string;
  readonly verb?: string;
  readonly perturbation?: number;
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";

/** Records a run. */
export class RecordedRun {
  readonly #entries: TraceEntry[] = [];
  readonly #stored = new Map<string, StoredObject>();
  readonly #states: { step: number; state: { objects: StoredObject[]; driver?: readonly DriverObject[] } }[] = [];
  readonly #draw: Draw;
  readonly #plan: Plan;
  readonly complaints: Complaint[] = [];
  driver: readonly DriverObject[] | undefined;
  restlessWrites = 0;
  #revision: number;
  #at = 0;
  #step = -1;

  constructor(seed: number, plan: Plan = []) {
    this.#draw = new Draw(seed);
    this.#plan = plan;
    this.#revision = 1000 * (seed + 1);
  }

  #letters(count: number): string {
    return Array.from({ length: count }, () => "bcdfghjklmnpqrstvwxz2456789"[this.#draw.below(27)]).join("");
  }

  #hex(count: number): string {
    return Array.from({ length: count }, () => "0123456789abcdef"[this.#draw.below(16)]).join("");
  }

  /** Draws a uid. */
  uid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.#hex(length)).join("-");
  }

  /** Draws a suffix of a name. */
  suffix(): string {
    return this.#letters(5);
  }

  time(): string {
    return new Date(1_700_000_000_000 + this.#at + this.#draw.below(1000) * 1000).toISOString();
  }

  add(entry: Unnumbered<TraceEntry>): number {
    const seq = this.#entries.length;
    this.#entries.push({ ...entry, seq, at: this.#at } as TraceEntry);
    return seq;
  }

  pass(millis: number): void {
    this.#at += millis;
  }

  begin(name: string = "step"): void {
    this.add({ type: "step", step: ++this.#step, name, phase: "begun" });
  }

  /** Lets the pause of a step pass and keeps the state. */
  quiet(millis: number = 300_000): void {
    this.pass(millis);
    this.add({ type: "step", step: this.#step, name: "step", phase: "quiet" });
    const objects = [...this.#stored.values()];
    this.#states.push({ step: this.#step, state: { objects, ...(this.driver && { driver: this.driver }) } });
  }

  get(kind: string, name: string): StoredObject {
    const found = [...this.#stored.values()].find((it) => it.kind === kind && it.metadata.name === name);
    if (!found) throw new Error(`Expected a ${kind} named ${name}, found none`);
    return found;
  }

  all(kind: string): readonly StoredObject[] {
    return [...this.#stored.values()].filter((it) => it.kind === kind);
  }

  #ref({ apiVersion, kind, metadata }: StoredObject): Named {
    const { name, namespace } = metadata;
    return { group: groupOf(apiVersion), kind, name, ...(namespace !== undefined && { namespace }) };
  }

  #change(actor: Actor, change: ChangeEntry["change"], after: StoredObject, before?: StoredObject): void {
    const { uid } = after.metadata;
    const object = this.#ref(after);
    this.add({
      type: "change",
      actor,
      revision: this.#revision,
      change,
      object,
      uid,
      ...(before && { before }),
      after,
    });
    if (change === "deleted") this.#stored.delete(uid);
    else this.#stored.set(uid, after);
  }

  #request(actor: Actor, verb: string, object: ObjectRef, unusual: Unusual, more: Partial<RequestEntry> = {}): void {
    const { life = 0, lost, subresource, sent, fieldManager, perturbation } = unusual;
    this.add({
      type: "request",
      actor,
      life,
      protocol: "api",
      verb: unusual.verb ?? verb,
      object,
      changed: true,
      ...(subresource !== undefined && { subresource }),
      ...(fieldManager !== undefined && { fieldManager }),
      ...(sent !== undefined && { sent }),
      ...(perturbation !== undefined && { perturbation }),
      ...(!lost && { code: 200, revision: this.#revision }),
      ...more,
    });
  }

  create(actor: Actor, sent: Sent, unusual: Unusual = {}): StoredObject {
    const { metadata } = sent;
    const name = metadata.name ?? `${metadata.generateName}${this.suffix()}`;
    const revision = ++this.#revision;
    const after: StoredObject = {
      ...sent,
      metadata: {
        namespace: "default",
        ...metadata,
        name,
        uid: this.uid(),
        resourceVersion: String(revision),
        generation: 1,
        creationTimestamp: this.time(),
        managedFields: [{ manager: actor, time: this.time() }],
      },
    };
    this.#change(actor, "created", after);
    const { name: _, ...kind } = this.#ref(after);
    const generateName = metadata.generateName;
    const object = metadata.name === undefined ? kind : this.#ref(after);
    this.#request(actor, "create", object, { sent, ...unusual }, { code: 201, ...(generateName && { generateName }) });
    return after;
  }

  update(
    actor: Actor,
    before: StoredObject,
    change: Readonly<Record<string, unknown>>,
    unusual: Unusual = {},
  ): StoredObject {
    const revision = ++this.#revision;
    const current = this.#stored.get(before.metadata.uid)!;
    const spec = "spec" in change || "data" in change ? 1 : 0;
    const { metadata, ...members } = change;
    const after: StoredObject = {
      ...current,
      ...members,
      metadata: {
        ...current.metadata,
        ...(metadata as object),
        resourceVersion: String(revision),
        generation: (current.metadata.generation ?? 0) + spec,
      },
    };
    this.#change(actor, "updated", after, current);
    this.#request(actor, "update", this.#ref(after), { sent: { metadata: { resourceVersion: "1" } }, ...unusual });
    return after;
  }

  delete(actor: Actor, object: StoredObject, unusual: Unusual = {}): void {
    const current = this.#stored.get(object.metadata.uid)!;
    this.#revision++;
    this.#change(actor, "deleted", current, current);
    this.#request(actor, "delete", this.#ref(object), unusual);
  }

  list(actor: Actor, object: ObjectRef, life: number = 0, revision: number = this.#revision): void {
    this.add({
      type: "request",
      actor,
      life,
      protocol: "api",
      verb: "list",
      object,
      code: 200,
      changed: false,
      revision,
    });
  }

  deliver(actor: Actor, object: StoredObject, change: "ADDED" | "MODIFIED" | "DELETED" = "ADDED", life = 0): void {
    const { uid, resourceVersion } = object.metadata;
    this.add({
      type: "delivery",
      actor,
      life,
      change,
      object: this.#ref(object),
      uid,
      revision: Number(resourceVersion),
    });
  }

  life(actor: Actor, life: number, event: "started" | "killed"): void {
    this.add({ type: "life", actor, life, event });
  }

  get revision(): number {
    return this.#revision;
  }

  record(): RunRecord {
    return {
      order: { seed: 0, plan: this.#plan },
      trace: this.#entries,
      states: this.#states,
      complaints: this.complaints,
      met: this.#plan.map(() => true),
      restlessWrites: this.restlessWrites,
    };
  }
}
