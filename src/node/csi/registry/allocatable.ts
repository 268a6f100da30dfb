/**
 * Asks drivers again and again how many volumes they take, as their CSIDriver objects say (CSIN-32, CSID-10, CSID-11).
 *
 * @module
 */
import type { CSIDriver } from "../../../client/kinds/index.ts";
import type { Informer } from "../../../runtime/index.ts";
import type { Clock, Timer } from "../../../util/clock.ts";
import type { Log } from "../../../util/log.ts";

/** What counting is made with. */
export interface CountingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly objects: Pick<Informer<CSIDriver, "Cluster">, "get" | "on">;
  /** Asks a driver and writes what it says. */
  readonly update: (driver: string) => Promise<void>;
}

interface Count {
  readonly seconds: number;
  timer: Timer | undefined;
}

/** How often a driver is to be asked, in seconds; undefined for never. */
export const periodOf = (object: CSIDriver | undefined): number | undefined =>
  object?.spec.nodeAllocatableUpdatePeriodSeconds;

/** See the head of this file. */
export class Counting implements Disposable {
  readonly #options: CountingOptions;
  readonly #counts = new Map<string, Count>();
  readonly #heard: Disposable;

  constructor(options: CountingOptions) {
    this.#options = options;
    this.#heard = options.objects.on(({ type, object }) =>
      this.#follow(object.metadata.name, type === "deleted" ? undefined : periodOf(object)),
    );
  }

  [Symbol.dispose](): void {
    this.#heard[Symbol.dispose]();
    for (const name of this.#counts.keys()) this.#follow(name, undefined);
  }

  /** A change of the interval begins it anew; without one it ends. */
  #follow(name: string, seconds: number | undefined): void {
    const known = this.#counts.get(name);
    if (known?.seconds === seconds) return;
    known?.timer?.cancel();
    this.#counts.delete(name);
    if (seconds === undefined) return;
    const count: Count = { seconds, timer: undefined };
    this.#counts.set(name, count);
    this.#wait(name, count);
  }

  #wait(name: string, count: Count): void {
    count.timer = this.#options.clock.after(count.seconds * 1000, () => void this.#ask(name, count), {
      owner: "volumes that a driver takes",
    });
  }

  async #ask(name: string, count: Count): Promise<void> {
    try {
      await this.#options.update(name);
    } catch (error) {
      const facts = { driver: name, error: (error as Error).message };
      this.#options.log.warn("a driver was not asked how many volumes it takes", facts, name);
    }
    if (this.#counts.get(name) === count) this.#wait(name, count);
  }
}
