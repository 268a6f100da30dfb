/**
 * A cluster with a scheduler and a binder, on which a test puts nodes, volumes, claims and Pods in few words.
 *
 * @module
 */
import { type Kind, type NewObject, inDomain } from "../../../src/client/index.ts";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CoreEvent,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../../src/client/kinds/index.ts";
import { volumeBinder } from "../../../src/controllers/storage/binder/binder.ts";
import { ephemeralVolumes } from "../../../src/controllers/storage/ephemeral-volumes.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { type Dialect, dialectOf } from "../../../src/meta/dialect.ts";
import type { Manager } from "../../../src/runtime/index.ts";
import { World } from "../../runtime/world.ts";

/** A driver that makes volumes. */
export const DRIVER = "d.example.com";
export const HOSTNAME = "kubernetes.io/hostname";

/** The name of an object in the namespace of all tests. */
export const at = (name: string) => ({ name, namespace: "default" });

/** A term of a node selector that asks for a label. */
export const labelled = (key: string, ...values: string[]) => ({ matchExpressions: [{ key, operator: "In", values }] });

/** An affinity of a volume: one of the terms has to hold. */
export const reachedFrom = (...nodeSelectorTerms: object[]) => ({ nodeAffinity: { required: { nodeSelectorTerms } } });

/** That a volume is reached from nodes of these names only. */
export const only = (...nodes: string[]) => reachedFrom(labelled(HOSTNAME, ...nodes));

/** What is said of a node beside its name. */
export interface NodeWords {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly room?: Readonly<Record<string, string>>;
}

/** What is said of a Pod: its claims by name, and the rest of its spec. */
export interface PodWords {
  readonly claims?: readonly string[];
  readonly volumes?: readonly object[];
  readonly requests?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly [member: string]: unknown;
}

/** See the head of this file. */
export class Stage implements AsyncDisposable {
  readonly world: World;
  readonly dialect: Dialect;

  #manager: Manager | undefined;
  #starts = 0;

  private constructor(world: World, dialect: Dialect) {
    this.world = world;
    this.dialect = dialect;
  }

  static async create(name: Dialect["name"] = "kubernetes"): Promise<Stage> {
    const stage = new Stage(await World.create(name), dialectOf(name)!);
    await stage.restart();
    return stage;
  }

  /** Ends the controllers, where some run, and starts others without any memory. */
  async restart(): Promise<void> {
    await this.#manager?.stop({ grace: 0 });
    this.#manager = this.world.manager({ countedEvents: true, seed: ++this.#starts });
    this.#manager.add(volumeBinder(this.dialect), ephemeralVolumes, scheduler(this.dialect));
    await this.#manager.start();
    await this.world.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    if (this.world.warnings.length > 0) throw new Error(this.world.warnings.join("\n"));
  }

  /** The resource of a kind of the group for storage. */
  storage<K extends Kind<never, never>>(kind: K): ReturnType<typeof this.world.resource> {
    return this.world.resource(inDomain(kind as never, this.dialect.domain) as never);
  }

  async node(name: string, { labels = {}, spec = {}, room = {} }: NodeWords = {}): Promise<void> {
    const has = { cpu: "4", memory: "8Gi", pods: "20", ...room };
    await this.world.resource(Node).create({
      metadata: { name, labels: { [HOSTNAME]: name, ...labels } },
      spec,
      status: { capacity: has, allocatable: has },
    } as NewObject<Node>);
    await this.world.settled();
  }

  async volume(name: string, spec: object = {}, metadata: object = {}): Promise<void> {
    await this.world.resource(PersistentVolume).create({
      metadata: { name, ...metadata },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: { driver: DRIVER, volumeHandle: `h-${name}` },
        ...spec,
      },
    } as NewObject<PersistentVolume>);
    await this.world.settled();
  }

  async claim(name: string, spec: object = {}, metadata: object = {}): Promise<void> {
    await this.world.resource(PersistentVolumeClaim).create({
      metadata: { ...at(name), ...metadata },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    } as NewObject<PersistentVolumeClaim>);
    await this.world.settled();
  }

  /** A claim `name` that is bound to a volume `v-name`. */
  async bound(name: string, volume: object = {}, metadata: object = {}): Promise<void> {
    const { accessModes = ["ReadWriteOnce"] } = volume as { accessModes?: readonly string[] };
    await this.volume(`v-${name}`, { ...volume, claimRef: at(name) }, metadata);
    await this.claim(name, { accessModes, volumeName: `v-${name}`, storageClassName: "" });
  }

  /** A class that waits for Pods: `static` without a provisioner, others with {@link DRIVER}. */
  async lateClass(name = "late", more: object = {}): Promise<void> {
    const provisioner = name === "static" ? `${this.dialect.labelDomain}/no-provisioner` : DRIVER;
    await this.storage(StorageClass as never).create({
      metadata: { name },
      provisioner,
      volumeBindingMode: "WaitForFirstConsumer",
      ...more,
    } as never);
    await this.world.settled();
  }

  async csiNode(name: string, count?: number, driver = DRIVER): Promise<void> {
    const allocatable = count === undefined ? {} : { allocatable: { count } };
    const drivers = [{ name: driver, nodeID: name, topologyKeys: [], ...allocatable }];
    await this.storage(CSINode as never).create({ metadata: { name }, spec: { drivers } } as never);
    await this.world.settled();
  }

  /** A driver that says how much storage is left. */
  async countingDriver(storageCapacity = true): Promise<void> {
    await this.storage(CSIDriver as never).create({ metadata: { name: DRIVER }, spec: { storageCapacity } } as never);
    await this.world.settled();
  }

  async capacity(name: string, more: object, namespace = "default"): Promise<void> {
    const object = { metadata: { name, namespace }, storageClassName: "late", ...more };
    await this.storage(CSIStorageCapacity as never).create(object as never);
    await this.world.settled();
  }

  async pod(
    name: string,
    { claims = [], volumes = [], requests = {}, metadata = {}, ...spec }: PodWords = {},
  ): Promise<void> {
    const named = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }));
    await this.world.resource(Pod).create({
      metadata: { ...at(name), ...metadata },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: "i", resources: { requests } }],
        volumes: [...named, ...volumes],
        ...spec,
      },
    } as NewObject<Pod>);
    await this.world.settled();
  }

  getPod(name: string): Promise<Pod> {
    return this.world.resource(Pod).get(at(name));
  }

  getClaim(name: string): Promise<PersistentVolumeClaim> {
    return this.world.resource(PersistentVolumeClaim).get(at(name));
  }

  getVolume(name: string): Promise<PersistentVolume> {
    return this.world.resource(PersistentVolume).get({ name });
  }

  /** The node of a Pod. */
  async nodeOf(name: string): Promise<string | undefined> {
    return (await this.getPod(name)).spec.nodeName;
  }

  /** The status, reason and message of a condition of a Pod. */
  async told(name: string): Promise<readonly (string | undefined)[]> {
    const { conditions = [] } = (await this.getPod(name)).status;
    const found = conditions.find(({ type }) => type === "PodScheduled");
    return found ? [found.status, found.reason, found.message] : [];
  }

  /** The message of a Pod that fits nowhere. */
  async why(name: string): Promise<string> {
    const [status, reason, message = ""] = await this.told(name);
    return status === "False" && reason === "Unschedulable" ? message : `${status} ${reason}: ${message}`;
  }

  /** The node that was chosen for a claim. */
  async chosenFor(name: string): Promise<string | undefined> {
    const { annotations } = (await this.getClaim(name)).metadata;
    return annotations?.[`volume.${this.dialect.labelDomain}/selected-node`];
  }

  /** A volume of a claim as a provisioner makes it. */
  async provision(name: string, spec: object = {}): Promise<void> {
    const { uid } = (await this.getClaim(name)).metadata;
    await this.volume(`made-${name}`, { storageClassName: "late", claimRef: { ...at(name), uid }, ...spec });
  }

  async remove(name: string): Promise<void> {
    await this.world.resource(Pod).delete(at(name), { gracePeriodSeconds: 0 });
    await this.world.settled();
  }

  /** Longer than any pause between two tries. */
  pass(): Promise<void> {
    return this.world.advance("5s");
  }

  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.world.resource(CoreEvent).list();
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ type, reason, source }) => `${type} ${reason} ${source.component}`);
  }
}
