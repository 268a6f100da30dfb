/**
 * A cluster in this process with its controllers, a driver that is made up and the sidecars of that; nodes and Pods are played by
 * requests.
 *
 * @module
 */
import { readFileSync, readdirSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import {
  type ApiObject,
  type Kind,
  type NewObject,
  type Scope,
  type Transport,
  inDomain,
} from "../../src/client/index.ts";
import {
  CSINode,
  CoreEvent,
  CustomResourceDefinition,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../src/client/kinds/index.ts";
import { attachDetach } from "../../src/controllers/storage/attach/controller.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { claimProtection, volumeProtection } from "../../src/controllers/storage/protection.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { type SidecarName, type SidecarSettings, sidecarsOf } from "../../src/sidecars/index.ts";
import type { StorageDriver } from "../../src/sidecars/contract.ts";
import { World } from "../runtime/world.ts";
import { DRIVER, MadeUpDriver } from "./made-up-driver.ts";

export const PLACE = `topology.${DRIVER}/node`;

/** See the head of this file. */
export class DiskWorld<D extends StorageDriver = MadeUpDriver> implements AsyncDisposable {
  readonly world: World;
  readonly driver: D;
  readonly dialect: Dialect;
  manager!: Manager;
  /** Called before each write of the sidecars is sent, and after it was answered. */
  wrote: (moment: "before" | "after") => void = () => {};
  /** Called before each read of the sidecars is sent. */
  reads: (path: string) => Promise<void> = async () => {};
  #starts = 0;

  private constructor(world: World, driver: D, dialect: Dialect) {
    this.world = world;
    this.driver = driver;
    this.dialect = dialect;
  }

  static async create(driver?: MadeUpDriver, dialect?: Dialect["name"]): Promise<DiskWorld>;
  static async create<T extends StorageDriver>(driver: T, dialect?: Dialect["name"]): Promise<DiskWorld<T>>;
  static async create(
    driver: StorageDriver = new MadeUpDriver(),
    dialect: Dialect["name"] = "kubernetes",
  ): Promise<DiskWorld<StorageDriver>> {
    const spoken = dialectOf(dialect)!;
    const gates = { VolumeAttributesClass: true, CrossNamespaceVolumeDataSource: true };
    const world = await World.create(dialect, gates);
    const manager = world.manager({ countedEvents: true }).add(volumeBinder(spoken), attachDetach(spoken));
    manager.add(claimProtection(spoken), volumeProtection(spoken));
    await manager.start();
    return new DiskWorld(world, driver, spoken);
  }

  /** Starts the sidecars; a process that was killed before is another one. */
  async start(settings: SidecarSettings = {}, only?: readonly SidecarName[]): Promise<void> {
    const { clock } = this.world;
    const { dialect } = this;
    const controllers = sidecarsOf(this.driver, { dialect, clock, settings, ...(only ? { only } : {}) });
    const isNeutral = dialect.name === "neutral";
    this.manager = this.world
      .manager({
        client: this.world.cluster.client("sidecars").with({ through: (transport) => this.#watched(transport) }),
        countedEvents: true,
        seed: 1000 + ++this.#starts,
        ...(isNeutral ? { dialect: "neutral" } : {}),
      })
      .add(...controllers);
    await this.manager.start();
    await this.settled();
  }

  #watched(transport: Transport): Transport {
    return async (request) => {
      if (request.method === "GET") {
        await this.reads(request.path);
        return transport(request);
      }
      this.wrote("before");
      const answer = await transport(request);
      this.wrote("after");
      return answer;
    };
  }

  settled(): Promise<void> {
    return this.world.settled();
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>) {
    return this.world.resource(inDomain(kind, this.dialect.domain));
  }

  async create<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, object: object): Promise<T> {
    const made = await this.resource(kind).create(object as NewObject<T>);
    await this.settled();
    return made;
  }

  makeClass(name: string, more: object = {}): Promise<StorageClass> {
    return this.create(StorageClass, {
      metadata: { name },
      provisioner: DRIVER,
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
      allowVolumeExpansion: true,
      ...more,
    });
  }

  makeClaim(name: string, spec: object = {}, metadata: object = {}): Promise<PersistentVolumeClaim> {
    return this.create(PersistentVolumeClaim, {
      metadata: { namespace: "default", name, ...metadata },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "fast",
        resources: { requests: { storage: "1Gi" } },
        ...spec,
      },
    });
  }

  claim(name: string, namespace = "default"): Promise<PersistentVolumeClaim> {
    return this.resource(PersistentVolumeClaim).get({ namespace, name });
  }

  findClaim(name: string): Promise<PersistentVolumeClaim | undefined> {
    return this.resource(PersistentVolumeClaim).find({ namespace: "default", name });
  }

  async patchClaim(name: string, patch: object): Promise<void> {
    await this.resource(PersistentVolumeClaim).patch({ namespace: "default", name }, patch);
    await this.settled();
  }

  async deleteClaim(name: string): Promise<void> {
    await this.resource(PersistentVolumeClaim).delete({ namespace: "default", name });
    await this.settled();
  }

  /** The volume of a claim. */
  async volumeOf(name: string): Promise<PersistentVolume> {
    return this.resource(PersistentVolume).get({ name: (await this.claim(name)).spec.volumeName ?? "" });
  }

  async volumes(): Promise<readonly PersistentVolume[]> {
    return (await this.resource(PersistentVolume).list()).items;
  }

  /** Nodes with the driver, each a place of its own. */
  async makeNodes(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.create(Node, { metadata: { name, labels: { [PLACE]: name } } });
      const drivers = [{ name: DRIVER, nodeID: `id-of-${name}`, topologyKeys: [PLACE] }];
      await this.create(CSINode, { metadata: { name }, spec: { drivers } });
    }
  }

  makeAttributes(name: string, more: object = {}): Promise<VolumeAttributesClass> {
    return this.create(VolumeAttributesClass, {
      metadata: { name },
      driverName: DRIVER,
      parameters: { metal: name },
      ...more,
    });
  }

  attach(name: string, volume: string, node: string, metadata: object = {}): Promise<VolumeAttachment> {
    return this.create(VolumeAttachment, {
      metadata: { name, ...metadata },
      spec: { attacher: DRIVER, nodeName: node, source: { persistentVolumeName: volume } },
    });
  }

  attachment(name: string): Promise<VolumeAttachment | undefined> {
    return this.resource(VolumeAttachment).find({ name });
  }

  async detach(name: string): Promise<void> {
    await this.resource(VolumeAttachment).delete({ name });
    await this.settled();
  }

  /** The reasons of Events about an object that the sidecars tell, each once and sorted, as `Warning ProvisioningFailed`. */
  async told(name: string): Promise<readonly string[]> {
    const { items } = await this.world.resource(CoreEvent).list();
    const about = items.filter(
      (one) => one.involvedObject.name === name && /^(external|csi|snapshot)-/.test(one.source.component ?? ""),
    );
    return [...new Set(about.map(({ type, reason }) => `${type} ${reason}`))].toSorted();
  }

  async messages(name: string, reason: string): Promise<readonly string[]> {
    const { items } = await this.world.resource(CoreEvent).list();
    return items
      .filter((one) => one.involvedObject.name === name && one.reason === reason)
      .map(({ message = "" }) => message);
  }

  /** Installs the definitions of snapshots. */
  async installSnapshots(): Promise<void> {
    const folder = new URL("crds/", import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
      const text = readFileSync(new URL(file, folder), "utf8").replaceAll(
        "snapshot.storage.k8s.io",
        `snapshot.storage.${this.dialect.domain}`,
      );
      for (const document of parseAllDocuments(text)) {
        const { status: _, ...definition } = document.toJS() as Record<string, unknown>;
        await this.world.resource(CustomResourceDefinition).create(definition as never);
      }
    }
    await this.settled();
    await this.world.advance("5s");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.driver instanceof MadeUpDriver) this.driver.letGo();
    await this.world[Symbol.asyncDispose]();
  }
}
