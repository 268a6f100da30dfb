/**
 * The volume plugin for CSI: finds drivers, and sets up, expands, measures and tears down their volumes.
 *
 * All its state is on disk: after a restart it continues from the records next to the volumes.
 *
 * @module
 */
import { inDomain } from "../../client/index.ts";
import { CSIDriver, type VolumeAttachment } from "../../client/kinds/index.ts";
import { attachNames, attachmentName, nodeEntry } from "../../claims/attachment.ts";
import { CODES } from "../../csi/driver-error.ts";
import { type HeldInformer, sharedInformer } from "../../runtime/index.ts";
import type { Timer } from "../../util/clock.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";
import type {
  AttachedVolume,
  FoundVolume,
  MadeVolume,
  NeededVolume,
  PluginContext,
  PluginMaker,
  PodEnd,
  VolumePlugin,
  VolumeUsage,
} from "../contract.ts";
import { stagedEntries } from "./in-use.ts";
import { RecordStore } from "./record-store.ts";
import { CSI_KIND, csiNames } from "./names.ts";
import { type CsiSettings, type Parts, asVolumeError } from "./parts.ts";
import { CsiPaths } from "./csi-paths.ts";
import { Counting, periodOf } from "./registry/allocatable.ts";
import { DriverRegistry } from "./registry/registry.ts";
import { isAttached, setUpVolume } from "./set-up.ts";
import { lockOf, sweep, tearDown } from "./tear-down.ts";
import { usageOf } from "./usage.ts";
import { type CsiVolume, csiVolumeOf } from "./volume.ts";
import { Waits } from "./waits.ts";
import { messageOf } from "../../util/error.ts";

const SWEEP_INTERVAL_MS = 60_000;
/** How long the start of an agent waits for its server. */
const START_TIMEOUT_MS = 5000;

/** Opens the plugin for CSI volumes; from then on it follows CSIDrivers and sockets. */
export const csiPlugin =
  (settings: CsiSettings): PluginMaker =>
  async (context) => {
    const plugin = new CsiPlugin(context, settings);
    await plugin.start();
    return plugin;
  };

/** See the head of this file. */
class CsiPlugin implements VolumePlugin {
  readonly kind = CSI_KIND;
  readonly below = "mount";
  readonly isBounded = true;
  readonly #parts: Parts;
  readonly #objects: HeldInformer<CSIDriver, "Cluster", never>;
  readonly #registry: DriverRegistry;
  readonly #counting: Counting;
  readonly #heard: Disposable;
  readonly #ended = new AbortController();
  /** The UIDs of Pods that wait for a driver, by its name. */
  readonly #waiting = new Map<string, Set<string>>();
  #timer: Timer | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(context: PluginContext, settings: CsiSettings) {
    const paths = new CsiPaths(context.root);
    const kind = inDomain(CSIDriver, context.dialect.domain);
    this.#objects = context.informer(sharedInformer(kind));
    this.#registry = new DriverRegistry({
      context,
      directory: paths.registry,
      onChange: (driver) => this.#driverChanged(driver),
    });
    this.#parts = {
      hasSELinux: false,
      ...settings,
      context,
      paths,
      names: csiNames(context.dialect),
      records: new RecordStore(paths, context.log),
      objects: this.#objects,
      drivers: this.#registry,
      locks: new KeyedLock(),
      waits: new Waits(context),
    };
    const { clock, log } = context;
    const update = (driver: string): Promise<void> => this.#registry.updateCount(driver);
    this.#counting = new Counting({ clock, log, objects: this.#objects, update });
    this.#heard = this.#objects.on(({ type, object }) => {
      if (type === "changed") void this.#lookAtPodsOf(object.metadata.name);
    });
  }

  async start(): Promise<void> {
    await this.#registry.start();
    // An agent starts also while its server does not respond.
    const controller = new AbortController();
    const timeOut = (): void => controller.abort();
    const timer = this.#parts.context.clock.after(START_TIMEOUT_MS, timeOut, { owner: "first list of CSIDrivers" });
    await this.#knowObjects(controller.signal);
    timer.cancel();
    this.#sweep();
  }

  makes(needed: NeededVolume): boolean {
    return csiVolumeOf(needed) !== undefined;
  }

  async setUp(needed: NeededVolume, signal: AbortSignal): Promise<MadeVolume> {
    const volume = this.#volumeOf(needed);
    this.#wait(volume.driver, needed);
    await this.#knowObjects(signal);
    try {
      return await this.#parts.locks.run(lockOf(volume), () => setUpVolume({ ...this.#parts, needed, signal }, volume));
    } catch (error) {
      throw asVolumeError(error);
    }
  }

  async tearDown(found: FoundVolume, signal: AbortSignal): Promise<void> {
    try {
      await tearDown(this.#parts, found, signal);
    } catch (error) {
      throw asVolumeError(error);
    }
  }

  attached(needed: NeededVolume): AttachedVolume | undefined {
    const volume = csiVolumeOf(needed);
    if (!volume || !isAttached(volume, this.#objects.get({ name: volume.driver }))) return undefined;
    const { dialect, node } = this.#parts.context;
    return { entry: nodeEntry(volume, attachNames(dialect)), attachment: attachmentName(volume, node) };
  }

  async inUse(): Promise<readonly string[]> {
    return stagedEntries(this.#parts.records, attachNames(this.#parts.context.dialect));
  }

  async usage(needed: NeededVolume, signal: AbortSignal): Promise<VolumeUsage | undefined> {
    return usageOf({ ...this.#parts, needed, signal }, this.#volumeOf(needed));
  }

  /** The node is full: counts again what the driver takes, and ends the Pod, so that another one is created elsewhere. */
  async notAttached(needed: NeededVolume, attachment: VolumeAttachment): Promise<PodEnd | undefined> {
    const { driver } = this.#volumeOf(needed);
    const { attachError } = attachment.status;
    const isFull = attachError?.errorCode === CODES.ResourceExhausted;
    if (!isFull || periodOf(this.#objects.get({ name: driver })) === undefined) return undefined;
    await this.#registry.updateCount(driver);
    const message = `volume ${needed.volume.name}: the driver ${driver} attaches no more volumes to the node: ${attachError?.message ?? ""}`;
    return { reason: "VolumeAttachmentLimitExceeded", message };
  }

  forget(podUid: string): void {
    this.#parts.waits.forget(podUid);
    for (const [driver, pods] of this.#waiting) {
      pods.delete(podUid);
      if (pods.size === 0) this.#waiting.delete(driver);
    }
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error("the agent stops"));
    this.#timer?.cancel();
    this.#heard[Symbol.dispose]();
    this.#counting[Symbol.dispose]();
    await this.#sweeping;
    await this.#registry.close();
    this.#objects[Symbol.dispose]();
  }

  /** Waits for the first list of CSIDrivers: before it, a missing object means nothing. */
  async #knowObjects(signal: AbortSignal): Promise<void> {
    const { reflector } = this.#objects;
    if (reflector.hasSynced) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    using _observer = reflector.onProgress(() => {
      if (reflector.hasSynced) resolve();
    });
    if (!signal.aborted) await promise;
  }

  #volumeOf(needed: NeededVolume): CsiVolume {
    const volume = csiVolumeOf(needed);
    if (!volume) throw new TypeError(`expected a CSI volume, got ${needed.volume.name}`);
    return volume;
  }

  /** Remembers a Pod that waits for a driver (NODE-29). */
  #wait(driver: string, { pod }: NeededVolume): void {
    if (this.#registry.driver(driver)) return;
    const pods = this.#waiting.get(driver) ?? new Set();
    this.#waiting.set(driver, pods.add(pod.metadata.uid));
  }

  #driverChanged(driver: string): void {
    if (!this.#registry.driver(driver)) return;
    const pods = this.#waiting.get(driver);
    this.#waiting.delete(driver);
    for (const uid of pods ?? []) this.#parts.context.lookAt(uid);
    this.#sweep();
  }

  /** Reconciles the Pods of a driver whose CSIDriver has changed (NODE-32). */
  async #lookAtPodsOf(driver: string): Promise<void> {
    const { records, context } = this.#parts;
    try {
      for (const uid of await records.podsOf(driver)) context.lookAt(uid);
    } catch (error) {
      context.log.warn("the Pods of a driver cannot be listed", { driver, error: messageOf(error) }, driver);
    }
  }

  #sweep(): void {
    this.#timer?.cancel();
    if (this.#ended.signal.aborted) return;
    this.#sweeping = this.#sweeping
      .then(() => sweep(this.#parts, this.#ended.signal))
      .catch((error: unknown) => this.#parts.context.log.warn("volumes cannot be listed", { error: messageOf(error) }));
    this.#timer = this.#parts.context.clock.after(SWEEP_INTERVAL_MS, () => this.#sweep(), {
      owner: "volumes that no Pod uses",
      upkeep: true,
    });
  }
}
