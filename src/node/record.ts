/**
 * What the agent remembers of a Pod of its node: how far each of its volumes is, and what is under way for them.
 *
 * Nothing of it is needed to go on after a restart: it is found again in the API and on disk.
 *
 * @module
 */
import type { Pod } from "../client/kinds/index.ts";
import type { MadeVolume, NeededVolume, PodEnd, VolumePlugin, VolumeUsage } from "./contract.ts";
import { type VolumeUse, usesOf } from "./uses.ts";

/** How far a volume of a Pod is. */
export interface VolumeRecord {
  /** What was tried last, and who makes it. */
  needed?: NeededVolume;
  plugin?: VolumePlugin;
  /** There since it was made for the first time, also while a repeated call fails (NODE-34). */
  made?: MadeVolume;
  /** Failures since the last success. */
  failures: number;
  /** Why it is not there, or what failed last. */
  why?: string | undefined;
  /** Since when it waits to be attached, in ms of the steady clock. */
  waitsSince?: number | undefined;
  usage?: VolumeUsage | undefined;
}

/** See the head of this file. */
export class PodRecord {
  readonly uid: string;
  /** As memory has it, or had it last; unknown of a directory whose Pod was gone when the agent started. */
  pod: Pod | undefined;
  /** Whether it is in the API no more. */
  isGone = false;
  /** Whether its volumes are being taken down; none of them is set up any more. */
  isEnding = false;
  /** Why it has to end. */
  end: PodEnd | undefined;
  /** Why it could not be taken down, and how often in a row. */
  why: string | undefined;
  failures = 0;
  /** The last start of each container that was told, by its name. */
  readonly started = new Map<string, string>();
  readonly #volumes = new Map<string, VolumeRecord>();
  readonly #busy = new Set<{ readonly over: AbortController; readonly done: Promise<unknown> }>();

  constructor(uid: string) {
    this.uid = uid;
  }

  /** The volumes that its containers use, by their names; none of a Pod that is not known. */
  get uses(): ReadonlyMap<string, VolumeUse> {
    return this.pod ? usesOf(this.pod) : new Map();
  }

  /** What is known of a volume. */
  volume(name: string): VolumeRecord {
    let volume = this.#volumes.get(name);
    if (!volume) this.#volumes.set(name, (volume = { failures: 0 }));
    return volume;
  }

  /** The volumes that were looked at, by their names. */
  get volumes(): ReadonlyMap<string, VolumeRecord> {
    return this.#volumes;
  }

  /** The volumes that stand, by their names; undefined while one that is used is missing (NODE-3). */
  get standing(): ReadonlyMap<string, MadeVolume> | undefined {
    const made = new Map<string, MadeVolume>();
    for (const name of this.uses.keys()) {
      const volume = this.#volumes.get(name)?.made;
      if (!volume) return undefined;
      made.set(name, volume);
    }
    return made;
  }

  /** Does work on a volume that ends before the Pod's volumes are taken down; its signal says when it is to. */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const give = (): void => over.abort(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener("abort", give);
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = { over, done: promise };
    this.#busy.add(busy);
    try {
      return await work(over.signal);
    } finally {
      signal.removeEventListener("abort", give);
      this.#busy.delete(busy);
      resolve();
    }
  }

  /** Ends what is under way; resolves when nothing is. */
  async rest(): Promise<void> {
    const reason = new Error("the Pod has ended");
    for (const { over } of this.#busy) over.abort(reason);
    await Promise.all([...this.#busy].map(({ done }) => done));
  }
}
