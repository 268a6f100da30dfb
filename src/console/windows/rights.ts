/**
 * Tells when the rights of users may have changed: when a role or a binding does, and now and then for authorizers that are asked
 * over the network.
 *
 * @module
 */
import type { Registry, Watch, WatchSink } from "../../registry/index.ts";
import { fromNow } from "./plain-source.ts";
import type { Clock, Timer } from "../../util/clock.ts";

const GROUP = "rbac.authorization.k8s.io";
const PLURALS = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
/** Changes that come together are one. */
const TOGETHER_MS = 100;
/** How long rights that an authorizer has taken back in silence are still used. */
const PERIOD_MS = 15_000;
const UPKEEP = { owner: "rights of the console", upkeep: true };

/** See the head of this file. Without a listener it watches nothing. */
export class Rights {
  readonly #registry: Pick<Registry, "find">;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #run: RightsRun | undefined;

  constructor(registry: Pick<Registry, "find">, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Calls a listener after changes, until disposed. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    this.#run ??= new RightsRun(this.#registry, this.#clock, () => {
      for (const one of this.#listeners) one();
    });
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        this.#run?.close();
        this.#run = undefined;
      },
    };
  }
}

class RightsRun implements WatchSink {
  readonly #registry: Pick<Registry, "find">;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #watches = new Set<Watch>();
  #soon: Timer | undefined;
  #period: Timer;
  #isClosed = false;

  constructor(registry: Pick<Registry, "find">, clock: Clock, changed: () => void) {
    this.#registry = registry;
    this.#clock = clock;
    this.#changed = changed;
    this.#period = this.#next();
    void this.#watchAll();
  }

  deliver(): void {
    this.#tellSoon();
  }

  /** The next period watches again. */
  ended(): void {
    this.#tellSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#period.cancel();
    this.#soon?.cancel();
    this.#endWatches();
  }

  #next(): Timer {
    return this.#clock.after(
      PERIOD_MS,
      () => {
        this.#period = this.#next();
        if ([...this.#watches].some((watch) => !watch.live)) void this.#watchAll();
        this.#changed();
      },
      UPKEEP,
    );
  }

  #tellSoon(): void {
    this.#soon ??= this.#clock.after(TOGETHER_MS, () => {
      this.#soon = undefined;
      this.#changed();
    });
  }

  async #watchAll(): Promise<void> {
    this.#endWatches();
    for (const plural of PLURALS) {
      const resource = this.#registry.find(GROUP, "v1", plural);
      if (!resource) continue;
      try {
        const { watch } = await resource.watch("", fromNow(resource, ""), this);
        if (this.#isClosed) watch.close();
        else this.#watches.add(watch);
      } catch {
        // The timer checks again.
      }
    }
  }

  #endWatches(): void {
    for (const watch of this.#watches) watch.close();
    this.#watches.clear();
  }
}
