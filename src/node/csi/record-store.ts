/**
 * The records of the volumes of a node: which there are, and which of them are for the same volume.
 *
 * Memory has only which records there are: those of the first scan, and those that were written since. The content is read
 * from disk each time, so a record that was removed outside does not count any more.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../util/log.ts";
import { ignoreMissing, removeIfEmpty } from "./disk.ts";
import type { CsiPaths, PodVolumeKey } from "./csi-paths.ts";
import {
  type PublishRecord,
  type StageRecord,
  readPublication,
  readStage,
  removeRecord,
  writeRecord,
} from "./record.ts";
import type { Mode } from "./volume.ts";
import { messageOf } from "../../util/error.ts";

/** The members of a volume that its path follows from. */
type Volume = Parameters<CsiPaths["stage"]>[0];

/** See the head of this file. */
export class RecordStore {
  readonly #paths: CsiPaths;
  readonly #log: Log;
  /** Records of volumes on the node, as they were written last, by their directories. */
  readonly #stages = new Map<string, StageRecord>();
  /** Volumes of Pods: the directory of the volume on the node, then that of the record in the Pod. */
  readonly #users = new Map<string, Map<string, PodVolumeKey>>();
  #loaded: Promise<void> | undefined;

  constructor(paths: CsiPaths, log: Log) {
    this.#paths = paths;
    this.#log = log;
  }

  /** The record of a volume on the node. */
  async stage(volume: Volume): Promise<StageRecord | undefined> {
    return readStage(this.#paths.stage(volume).directory, volume.mode);
  }

  /** The record of a volume in a Pod. */
  async publication(key: PodVolumeKey): Promise<PublishRecord | undefined> {
    return readPublication(this.#paths.publish(key).directory, key);
  }

  async saveStage(record: StageRecord): Promise<StageRecord> {
    await this.#load();
    const { directory } = this.#paths.stage(record);
    await writeRecord(directory, record);
    this.#stages.set(directory, record);
    return record;
  }

  async savePublication(record: PublishRecord): Promise<PublishRecord> {
    await this.#load();
    const { directory } = this.#paths.publish(record);
    await writeRecord(directory, record);
    this.#keep(record, directory);
    return record;
  }

  /** Removes the record of a volume on the node. */
  async dropStage(record: StageRecord): Promise<void> {
    const { directory } = this.#paths.stage(record);
    await removeRecord(directory);
    await removeIfEmpty(directory);
    this.#stages.delete(directory);
  }

  /** Removes the record of a volume in a Pod. */
  async dropPublication(record: PublishRecord): Promise<void> {
    const { directory } = this.#paths.publish(record);
    await removeRecord(directory);
    await removeIfEmpty(directory);
    const of = this.#paths.stage(record).directory;
    const users = this.#users.get(of);
    users?.delete(directory);
    if (users?.size === 0) this.#users.delete(of);
  }

  /** The records of the Pods that have a persistent volume. */
  async publicationsOf(volume: Volume): Promise<readonly PublishRecord[]> {
    await this.#load();
    const keys = [...(this.#users.get(this.#paths.stage(volume).directory)?.values() ?? [])];
    const found = await Promise.all(keys.map((key) => this.publication(key)));
    return found.filter((record) => record !== undefined);
  }

  /** The records of all volumes on the node, as they were written last. */
  async stages(): Promise<readonly StageRecord[]> {
    await this.#load();
    return [...this.#stages.values()];
  }

  /** The UIDs of the Pods with volumes of a driver. */
  async podsOf(driver: string): Promise<ReadonlySet<string>> {
    await this.#load();
    const uids = new Set<string>();
    for (const users of this.#users.values()) {
      for (const key of users.values()) {
        const record = await this.#readable(this.publication(key));
        if (record?.driver === driver) uids.add(key.podUid);
      }
    }
    return uids;
  }

  #keep({ podUid, name, mode, ...volume }: PublishRecord, directory: string): void {
    const of = this.#paths.stage({ ...volume, mode }).directory;
    const users = this.#users.get(of) ?? new Map<string, PodVolumeKey>();
    this.#users.set(of, users.set(directory, { podUid, name, mode }));
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#scan().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #scan(): Promise<void> {
    await this.#foundStages(this.#paths.drivers, "Filesystem");
    await this.#foundStages(this.#paths.stagedDevices, "Block");
    for (const podUid of await namesIn(this.#paths.pods)) {
      for (const name of await namesIn(this.#paths.volumesOf(podUid))) {
        await this.#foundPublication({ podUid, name, mode: "Filesystem" });
      }
    }
    for (const name of await namesIn(this.#paths.deviceRecords)) {
      for (const podUid of await namesIn(join(this.#paths.deviceRecords, name))) {
        await this.#foundPublication({ podUid, name, mode: "Block" });
      }
    }
  }

  async #foundStages(drivers: string, mode: Mode): Promise<void> {
    for (const driver of await namesIn(drivers)) {
      if (join(drivers, driver) === this.#paths.devices) continue;
      for (const volume of await namesIn(join(drivers, driver))) {
        await this.#foundStage(join(drivers, driver, volume), mode);
      }
    }
  }

  async #foundStage(directory: string, mode: Mode): Promise<void> {
    const record = await this.#readable(readStage(directory, mode));
    if (record) this.#stages.set(directory, record);
  }

  async #foundPublication(key: PodVolumeKey): Promise<void> {
    const record = await this.#readable(this.publication(key));
    if (record) this.#keep(record, this.#paths.publish(key).directory);
  }

  /** A record; a damaged one is logged and ignored. */
  async #readable<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      this.#log.warn("a record of a volume cannot be read", { error: messageOf(error) });
      return undefined;
    }
  }
}

/** The names in a directory; none where it does not exist. */
const namesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(ignoreMissing)) ?? [];
