/**
 * Hands for tests of workloads: they make objects, and do to Pods what a node agent does.
 *
 * @module
 */
import {
  type ApiObject,
  type Kind,
  type NewObject,
  type Transport,
  attempt,
  keyOf,
} from "../../../src/client/index.ts";
import { CoreEvent, Deployment, Pod, ReplicaSet, type ReplicationController } from "../../../src/client/kinds/index.ts";
import { formatTime } from "../../../src/meta/time.ts";
import { isActive, isReady } from "../../../src/workloads/common/pods.ts";
import type { World } from "../../runtime/world.ts";

/** The key of an object of the namespace `default`. */
export const at = (name: string) => ({ name, namespace: "default" });

/** A template of Pods with the label `app: a`. */
export const template = (image = "i1", spec: object = {}, metadata: object = {}) => ({
  metadata: { labels: { app: "a" }, ...metadata },
  spec: { containers: [{ name: "c", image }], ...spec },
});

const selector = { matchLabels: { app: "a" } };

/** A transport that refuses the creation of Pods while `refuses` says so, as a quota does. */
export const refusingPods =
  (refuses: () => boolean) =>
  (transport: Transport): Transport =>
  async (request) => {
    const isCreation = request.method === "POST" && /\/pods(?:\?|$)/.test(request.path);
    if (!isCreation || !refuses()) return transport(request);
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
    const text = JSON.stringify({ ...status, message: "pods is forbidden: exceeded quota: q" });
    const body = { text: async () => text, [Symbol.asyncIterator]: () => piecesOf(text) };
    return { status: 403, headers: { "content-type": "application/json" }, body };
  };

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** See the head of this file. */
export class WorkloadHands {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Makes a Deployment `w`. */
  async deploy(spec: object = {}, metadata: object = {}): Promise<Deployment> {
    const object = { metadata: { ...at("w"), ...metadata }, spec: { selector, template: template(), ...spec } };
    return this.#make(Deployment, object as NewObject<Deployment>);
  }

  /** Makes a ReplicaSet, `r` unless told. */
  async replicaSet(spec: object = {}, metadata: object = {}): Promise<ReplicaSet> {
    const object = { metadata: { ...at("r"), ...metadata }, spec: { selector, template: template(), ...spec } };
    return this.#make(ReplicaSet, object as NewObject<ReplicaSet>);
  }

  /** Makes a Pod by hand. */
  async pod(name: string, metadata: object = {}, spec: object = {}): Promise<Pod> {
    const object = {
      metadata: { ...at(name), labels: { app: "a" }, ...metadata },
      spec: { ...template().spec, ...spec },
    };
    return this.#make(Pod, object as NewObject<Pod>);
  }

  async #make<T extends ApiObject>(kind: Kind<T, "Namespaced">, object: NewObject<T>): Promise<T> {
    const made = await this.#world.resource(kind).create(object);
    await this.#world.settled();
    return made;
  }

  /** Merges a patch into an object. */
  async patch<T extends ApiObject>(kind: Kind<T, "Namespaced">, name: string, patch: object): Promise<void> {
    await this.#world.resource(kind).patch(at(name), patch as never);
    await this.#world.settled();
  }

  /** Scales the Deployment `w`. */
  scale(replicas: number): Promise<void> {
    return this.patch(Deployment, "w", { spec: { replicas } });
  }

  /** Gives the Deployment `w` a template with another image. */
  setImage(image: string): Promise<void> {
    return this.patch(Deployment, "w", { spec: { template: template(image) } });
  }

  get deployment(): Promise<Deployment> {
    return this.#world.resource(Deployment).get(at("w"));
  }

  /** The ReplicaSets, the oldest first. */
  async sets(): Promise<readonly ReplicaSet[]> {
    const { items } = await this.#world.resource(ReplicaSet).list();
    return items.toSorted((a, b) => (a.metadata.creationTimestamp! < b.metadata.creationTimestamp! ? -1 : 1));
  }

  /** The ReplicaSet whose Pods have an image. */
  async setOf(image: string): Promise<ReplicaSet> {
    const found = (await this.sets()).find(({ spec }) => spec.template.spec?.containers?.[0]?.image === image);
    if (!found) throw new Error(`expected a ReplicaSet of image ${image}`);
    return found;
  }

  /** What ReplicaSets want, by image: `i1 3, i2 2`. */
  async sizes(): Promise<string> {
    const all = (await this.sets()).map(({ spec }) => `${spec.template.spec?.containers?.[0]?.image} ${spec.replicas}`);
    return all.toSorted().join(", ");
  }

  /** The Pods, only those of one image if one is given. */
  async pods(image?: string): Promise<readonly Pod[]> {
    const { items } = await this.#world.resource(Pod).list();
    return items.filter(({ spec }) => image === undefined || spec.containers[0]?.image === image);
  }

  /** The names of all Pods. */
  async names(): Promise<readonly string[]> {
    return (await this.pods()).map(({ metadata }) => metadata.name);
  }

  /** Sets the condition Ready of a Pod. */
  async setReady(pod: Pod | string, status = "True", more: object = {}): Promise<void> {
    const now = formatTime(this.#world.clock.now());
    const conditions = [{ type: "Ready", status, lastTransitionTime: now }];
    const key = typeof pod === "string" ? at(pod) : keyOf<"Namespaced">(pod);
    await this.#world.resource(Pod).status.patch(key, { status: { phase: "Running", conditions, ...more } });
    await this.#world.settled();
  }

  /** Makes up to `most` active Pods ready that are not, only those of one image if one is given. */
  async ready(image?: string, most = Infinity): Promise<void> {
    const waiting = (await this.pods(image)).filter((pod) => isActive(pod) && !isReady(pod));
    for (const pod of waiting.slice(0, most)) await this.setReady(pod);
  }

  /** Makes all Pods ready, and those that are going go, until nothing changes any more. */
  async finish(): Promise<void> {
    for (let i = 0; i < 50; i++) {
      await this.#world.settled();
      const pods = await this.pods();
      const gone = await this.goneOf(pods);
      const waiting = pods.filter((pod) => isActive(pod) && !isReady(pod));
      for (const pod of waiting) {
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: formatTime(this.#world.clock.now()) }];
        const key = keyOf<"Namespaced">(pod);
        await attempt(
          this.#world.resource(Pod).status.patch(key, { status: { phase: "Running", conditions } }),
          "NotFound",
        );
      }
      if (waiting.length === 0 && gone === 0) return;
      await this.#world.advance("1s");
    }
    throw new Error("expected Pods to come to rest");
  }

  /** Lets the Pods that are going go; how many there were. */
  async goneOf(pods: readonly Pod[]): Promise<number> {
    const going = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const pod of going) {
      await attempt(this.#world.resource(Pod).delete(keyOf<"Namespaced">(pod), { gracePeriodSeconds: 0 }), "NotFound");
    }
    await this.#world.settled();
    return going.length;
  }

  /** The conditions of an object: `Available True MinimumReplicasAvailable`. */
  conditions({ status }: Deployment | ReplicaSet | ReplicationController): Readonly<Record<string, string>> {
    return Object.fromEntries((status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]));
  }

  /** The Events about an object: `Normal SuccessfulCreate replicaset-controller: Created pod: r-abc`. */
  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.#world.resource(CoreEvent).list();
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ type, reason, message, reportingComponent }) => `${type} ${reason} ${reportingComponent}: ${message}`);
  }

  /** The versions of all objects that the controllers of workloads write. */
  async versions(): Promise<readonly string[]> {
    const kinds = [Deployment, ReplicaSet, Pod] as readonly Kind<ApiObject, "Namespaced">[];
    const all = await Promise.all(kinds.map((kind) => this.#world.resource(kind).list()));
    return all.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`));
  }
}
