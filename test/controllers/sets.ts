/** What tests of StatefulSets and DaemonSets do with Pods: there is no node agent, so they play it. */
import type { NewObject } from "../../src/client/index.ts";
import {
  Binding,
  ControllerRevision,
  CoreEvent,
  DaemonSet,
  Node,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import type { World } from "../runtime/world.ts";

const namespace = "default";

/** The key of an object in the namespace of the tests. */
export const at = (name: string) => ({ name, namespace });

/** A template of Pods. */
export const templateOf = (version: string, spec: object = {}) => ({
  metadata: { labels: { app: "a", v: version } },
  spec: { containers: [{ name: "c", image: `i${version}` }], ...spec },
});

const sorted = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));

/** The hands of a test in one world. */
export class Hands {
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  get pods() {
    return this.world.resource(Pod);
  }

  async statefulSet(spec: object = {}, metadata: object = {}): Promise<void> {
    const { template = templateOf("1"), ...more } = spec as { template?: object };
    const base = { serviceName: "svc", selector: { matchLabels: { app: "a" } }, template };
    const body = { metadata: { ...at("t"), ...metadata }, spec: { ...base, ...more } };
    await this.world.resource(StatefulSet).create(body as unknown as NewObject<StatefulSet>);
    await this.world.settled();
  }

  async daemonSet(spec: object = {}, metadata: object = {}): Promise<void> {
    const { template = templateOf("1"), ...more } = spec as { template?: object };
    const body = {
      metadata: { ...at("t"), ...metadata },
      spec: { selector: { matchLabels: { app: "a" } }, template, ...more },
    };
    await this.world.resource(DaemonSet).create(body as unknown as NewObject<DaemonSet>);
    await this.world.settled();
  }

  /** Changes the spec of the StatefulSet. */
  async change(spec: object): Promise<void> {
    await this.world.resource(StatefulSet).patch(at("t"), { spec } as never);
    await this.world.settled();
  }

  /** Changes the spec of the DaemonSet. */
  async changeDaemons(spec: object): Promise<void> {
    await this.world.resource(DaemonSet).patch(at("t"), { spec } as never);
    await this.world.settled();
  }

  async node(name: string, labels: object = {}, spec: object = {}): Promise<void> {
    await this.world.resource(Node).create({ metadata: { name, labels }, spec } as NewObject<Node>);
    await this.world.settled();
  }

  async changeNode(name: string, change: object): Promise<void> {
    await this.world.resource(Node).patch({ name }, change as never);
    await this.world.settled();
  }

  /** Makes Pods ready from now on, or no longer. */
  async ready(names: readonly string[], isReady = true): Promise<void> {
    const lastTransitionTime = new Date(this.world.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }];
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await this.pods.status.patch(at(name), { status: { phase: "Running", conditions } } as never);
    }
    await this.world.settled();
  }

  async phase(name: string, phase: string): Promise<void> {
    await this.pods.status.patch(at(name), { status: { phase } } as never);
    await this.world.settled();
  }

  async bind(names: readonly string[], node: string): Promise<void> {
    for (const name of names) {
      const body = { metadata: at(name), target: { kind: "Node", name: node } };
      // oxlint-disable-next-line no-await-in-loop -- in order
      await this.world.resource(Binding).create(body as NewObject<Binding>);
    }
    await this.world.settled();
  }

  async remove(name: string, options: object = {}): Promise<void> {
    await this.pods.delete(at(name), options);
    await this.world.settled();
  }

  /** The end of a Pod by its node agent. */
  gone = (name: string): Promise<void> => this.remove(name, { gracePeriodSeconds: 0 });

  async list(): Promise<readonly Pod[]> {
    return (await this.pods.list({ namespace })).items;
  }

  /** The names of all Pods; those that are going have a `-` before. */
  async names(): Promise<string[]> {
    const pods = await this.list();
    return sorted(pods.map(({ metadata }) => `${metadata.deletionTimestamp ? "-" : ""}${metadata.name}`));
  }

  /** The Pods as `name:version of the template`. */
  async versions(): Promise<string[]> {
    return sorted((await this.list()).map(({ metadata }) => `${metadata.name}:${metadata.labels?.["v"]}`));
  }

  set = () => this.world.resource(StatefulSet).get(at("t"));
  daemons = () => this.world.resource(DaemonSet).get(at("t"));

  async revisions(): Promise<readonly ControllerRevision[]> {
    const { items } = await this.world.resource(ControllerRevision).list({ namespace });
    return items.toSorted((a, b) => a.revision - b.revision);
  }

  async claims(): Promise<readonly PersistentVolumeClaim[]> {
    return (await this.world.resource(PersistentVolumeClaim).list({ namespace })).items;
  }

  /** The texts of Events about the set, as `Type Reason: text`. */
  async events(): Promise<string[]> {
    await this.world.advance("5s");
    const { items } = await this.world.resource(CoreEvent).list({ namespace });
    return items.map((event) => {
      const { type, reason, message } = event as unknown as Record<string, string>;
      return `${type} ${reason}: ${message}`;
    });
  }
}
