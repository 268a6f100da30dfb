/**
 * Updates the volume counts of drivers periodically, as their CSIDriver objects say (CSIN-32, CSID-10, CSID-11).
 *
 * @module
 */
import type { CSIDriver } from "../../../client/kinds/index.ts";
import type { Informer } from "../../../runtime/index.ts";
import type { Clock, Timer } from "../../../util/clock.ts";
import type { Log } from "../../../util/log.ts";
import { messageOf } from "../../../util/error.ts";

/** Options of {@link Counting}. */
export interface CountingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly objects: Pick<Informer<CSIDriver, "Cluster">, "get" | "on">;
  /** Calls the driver, and writes its count. */
  readonly update: (driver: string) => Promise<void>;
}

interface Count {
  readonly seconds: number;
  timer: Timer | undefined;
}

/** The seconds between updates; undefined for never. */
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

  /** Starts, changes or ends the updates of a driver. */
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
      const facts = { driver: name, error: messageOf(error) };
      this.#options.log.warn("the volume count of a driver was not updated", facts, name);
    }
    if (this.#counts.get(name) === count) this.#wait(name, count);
  }
}
