/**
 * Objects in a map that plans are performed on, one write after the other, as a server would: for models with thousands of histories.
 *
 * @module
 */
import type { ApiObject, Client, Kind } from "../../../src/client/index.ts";
import { StatusError } from "../../../src/client/index.ts";
import { PersistentVolumeClaim, Pod } from "../../../src/client/kinds/index.ts";
import { perform } from "../../../src/controllers/workloads/perform.ts";
import { seededRandom } from "../../../src/util/clock.ts";
import { controllerOf } from "../../../src/workloads/common/ownership.ts";
import type { Plan } from "../../../src/workloads/common/plan.ts";

/** Thrown where the controller is killed. */
export class Killed extends Error {}

/** A write, before it is done. */
export interface SeenWrite {
  readonly verb: "create" | "update" | "delete";
  readonly kind: string;
  readonly object: ApiObject;
}

const NAMESPACE = "default";
const FIRST = Date.parse("2026-01-01T00:00:00Z");

type Parts = Readonly<Record<string, unknown>>;

/** See the head of this file. */
export class TinyStore {
  now = FIRST;
  /** The writes until the controller is killed. */
  writesLeft = Infinity;
  /** The number of writes. */
  writes = 0;
  readonly #objects = new Map<string, ApiObject>();
  readonly #random = seededRandom(1);
  readonly #look: (write: SeenWrite) => void;
  #version = 0;

  /** @param look called before each write of the controller */
  constructor(look: (write: SeenWrite) => void = () => {}) {
    this.#look = look;
  }

  get<T extends ApiObject>(kind: Kind<T>, name: string): T | undefined {
    return this.#objects.get(`${kind.kind}/${name}`) as T | undefined;
  }

  list<T extends ApiObject>(kind: Kind<T>): readonly T[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${kind.kind}/`)).map(([, object]) => object as T);
  }

  /** The objects that an owner controls, and free ones. */
  candidates<T extends ApiObject>(kind: Kind<T>, owner: ApiObject): readonly T[] {
    return this.list(kind).filter((object) => (controllerOf(object)?.uid ?? owner.metadata.uid) === owner.metadata.uid);
  }

  put(kind: Kind, body: object): ApiObject {
    const { metadata, ...rest } = body as { metadata: Parts } & Parts;
    const name = (metadata["name"] as string | undefined) ?? this.#newName(metadata["generateName"] as string);
    const key = `${kind.kind}/${name}`;
    if (this.#objects.has(key)) throw refusal(409, "AlreadyExists", `${name} already exists`);
    const object = {
      apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      ...rest,
      metadata: {
        generation: 1,
        ...metadata,
        namespace: NAMESPACE,
        name,
        uid: `u${++this.#version}`,
        ...this.#stamp(),
      },
      ...(kind.kind === "Pod" ? { status: { phase: "Pending" } } : {}),
    } as unknown as ApiObject;
    this.#objects.set(key, object);
    return object;
  }

  /** Changes an object. */
  set<T extends ApiObject>(kind: Kind<T>, name: string, change: (object: T) => T): void {
    const object = this.get(kind, name);
    if (!object) return;
    const changed = change(object);
    const resourceVersion = String(++this.#version);
    this.#objects.set(`${kind.kind}/${name}`, { ...changed, metadata: { ...changed.metadata, resourceVersion } });
  }

  /** Deletes an object; a Pod that is bound stays until its node agent ends it, and its claims go with their owner. */
  remove(kind: Kind, name: string, isAgent = false): void {
    const object = this.get(kind, name) as Pod | undefined;
    if (!object) throw refusal(404, "NotFound", `${name} not found`);
    if (kind.kind === "Pod" && object.spec.nodeName && !isAgent) {
      if (object.metadata.deletionTimestamp === undefined) {
        const deletionTimestamp = new Date(this.now).toISOString();
        this.set(Pod, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } }));
      }
      return;
    }
    this.#objects.delete(`${kind.kind}/${name}`);
    for (const claim of this.list(PersistentVolumeClaim)) {
      const owners = claim.metadata.ownerReferences ?? [];
      if (owners.some(({ uid }) => uid === object.metadata.uid))
        this.#objects.delete(`${claim.kind}/${claim.metadata.name}`);
    }
  }

  /** Performs a plan; throws {@link Killed} where the controller is killed. */
  async perform(plan: Plan): Promise<void> {
    const client = { resource: (kind: Kind) => this.#resource(kind) } as unknown as Client;
    try {
      await perform(plan, { client, tell: () => {} });
    } catch (error) {
      if (error instanceof Killed) throw error;
      // It is tried again.
      if (!(error instanceof StatusError)) throw error;
    }
  }

  #resource(kind: Kind): object {
    const update = async (object: ApiObject): Promise<ApiObject> => {
      this.#before({ verb: "update", kind: kind.kind, object });
      const { name, resourceVersion } = object.metadata;
      const stored = this.get(kind, name);
      if (!stored) throw refusal(404, "NotFound", name);
      if (stored.metadata.resourceVersion !== resourceVersion) throw refusal(409, "Conflict", name);
      this.set(kind, name, () => object);
      return this.get(kind, name)!;
    };
    return {
      create: async (object: ApiObject) => {
        this.#before({ verb: "create", kind: kind.kind, object });
        return this.put(kind, object);
      },
      update,
      status: { update },
      patch: async ({ name }: { name: string }, patch: { metadata?: { labels?: Parts } }) => {
        this.#before({ verb: "update", kind: kind.kind, object: this.get(kind, name)! });
        this.set(kind, name, (object) => {
          const labels = { ...object.metadata.labels, ...patch.metadata?.labels } as Record<string, string>;
          return { ...object, metadata: { ...object.metadata, labels } };
        });
        return this.get(kind, name);
      },
      delete: async (object: ApiObject) => {
        this.#before({ verb: "delete", kind: kind.kind, object });
        if (this.get(kind, object.metadata.name)?.metadata.uid !== object.metadata.uid)
          throw refusal(404, "NotFound", object.metadata.name);
        this.remove(kind, object.metadata.name);
      },
    };
  }

  #before(write: SeenWrite): void {
    if (this.writesLeft <= 0) throw new Killed();
    this.writesLeft--;
    this.writes++;
    this.#look(write);
  }

  #newName(prefix: string): string {
    return `${prefix}${Math.floor(this.#random.next() * 2 ** 40).toString(36)}`;
  }

  #stamp(): object {
    return { resourceVersion: String(++this.#version), creationTimestamp: new Date(this.now).toISOString() };
  }

  /** Makes a Pod ready from now on, or not. */
  ready(name: string, isReady: boolean): void {
    const condition = {
      type: "Ready",
      status: isReady ? "True" : "False",
      lastTransitionTime: new Date(this.now).toISOString(),
    };
    this.set(Pod, name, (pod) => ({ ...pod, status: { phase: "Running", conditions: [condition] } }) as unknown as Pod);
  }

  phase(name: string, phase: string): void {
    this.set(Pod, name, (pod) => ({ ...pod, status: { ...pod.status, phase } }));
  }

  bind(name: string, nodeName: string): void {
    this.set(Pod, name, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName } }));
  }

  /** All objects of a kind as lines that name no uid and no time. */
  lines(kind: Kind, part: (object: never) => unknown): string[] {
    return this.list(kind)
      .map((object) => JSON.stringify(part(object as never)))
      .toSorted();
  }
}

const refusal = (code: number, reason: string, message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message } as never);
