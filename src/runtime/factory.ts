/**
 * Informers without a manager, for programs without controllers.
 *
 *     await using informers = createInformers({ client });
 *     const pods = informers.informer(sharedInformer(Pod, { namespace: "default" }));
 *     pods.on(({ type, object }) => console.log(type, object.metadata.name));
 *     await informers.synced();
 */
import {
  type ApiObject,
  type Client,
  type Kind,
  type ObjectIn,
  type Scope,
  type ScopeIn,
  isStatus,
} from "../client/index.ts";
import { type Clock, seededRandom, systemRandom } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { type InformerSpec, type Keep, specOf } from "./informer.ts";
import { type HeldInformer, Informers } from "./informers.ts";
import type { Reflector } from "./reflector.ts";
import { ServedKinds } from "./served-kinds.ts";

/** The options of informers without a manager. */
export interface InformerFactoryOptions {
  readonly client: Client;
  /** The clock of the client by default. */
  readonly clock?: Clock;
  /** A seed for reproducible randomness; system randomness by default. */
  readonly seed?: number;
  /** Whether objects are frozen, which costs a little. Default: unless NODE_ENV is production. */
  readonly freeze?: boolean;
  /** What informers keep of objects by default; everything where it is left out. */
  readonly keep?: Keep<ApiObject>;
  /** Called for failed lists and watches, which are retried, and for errors of listeners. */
  readonly failed?: (error: unknown) => void;
}

/** The options of {@link InformerFactory.synced}. */
export interface SyncOptions {
  /** No timeout by default. */
  readonly timeout?: Duration;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/** Creates informers that share lists and watches, until it is stopped. */
export interface InformerFactory extends AsyncDisposable {
  /**
   * Returns the informer of a kind or spec; it runs until all holders have disposed of it, or the factory is stopped.
   */
  informer<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): HeldInformer<T, S, never>;
  /** Returns the informer of one of several kinds, with their common type. */
  informer<K extends Kind>(kind: K): HeldInformer<ObjectIn<K>, ScopeIn<K>, never>;
  informer<T extends ApiObject, S extends Scope, X extends string>(spec: InformerSpec<T, S, X>): HeldInformer<T, S, X>;
  /** The served kinds, as they change. */
  readonly kinds: ServedKinds;
  /**
   * Resolves when each informer has its first list, or waits for a kind that is not served.
   *
   * @throws StatusError where one is refused (401, 403), Error when the time is over
   */
  synced(options?: SyncOptions): Promise<void>;
  /** Stops all informers; no listener is called afterwards. */
  stop(): Promise<void>;
}

/** Creates a factory; it makes no request before the first informer. */
export const createInformers = (options: InformerFactoryOptions): InformerFactory => new Factory(options);

class Factory implements InformerFactory {
  readonly kinds: ServedKinds;
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #reflectors = new Set<Reflector>();
  readonly #waiters = new Set<() => void>();
  readonly #failed: (error: unknown) => void;
  #refusal: Error | undefined;
  #isStopped = false;

  constructor({ client, clock = client.clock, seed, freeze, keep, failed = () => {} }: InformerFactoryOptions) {
    const random = seed === undefined ? systemRandom : seededRandom(seed);
    this.#clock = clock;
    this.#failed = failed;
    const onError = (error: unknown): void => this.#onError(error);
    this.kinds = new ServedKinds({ client, clock, random, failed: onError });
    this.#informers = new Informers({
      client,
      clock,
      random,
      kinds: this.kinds,
      failed: onError,
      freeze: freeze ?? process.env["NODE_ENV"] !== "production",
      keep,
      detectsSilence: !client.local,
    });
  }

  informer<T extends ApiObject, S extends Scope, X extends string = never>(
    from: Kind<T, S> | InformerSpec<T, S, X>,
  ): HeldInformer<T, S, X> {
    const held = this.#informers.hold(specOf(from));
    for (const reflector of this.#reflectors) if (reflector.hasEnded) this.#reflectors.delete(reflector);
    this.#reflectors.add(held.reflector);
    return held;
  }

  async synced({ timeout, signal }: SyncOptions = {}): Promise<void> {
    const late = new AbortController();
    const millis = timeout === undefined ? Infinity : millisOf(timeout);
    const timer = timeout === undefined ? undefined : this.#clock.after(millis, () => late.abort(), { holds: true });
    const given = signal ? AbortSignal.any([late.signal, signal]) : late.signal;
    try {
      while (this.#pending().length > 0 && !this.#isStopped) {
        if (this.#refusal) throw this.#refusal;
        await this.#progress(given);
        signal?.throwIfAborted();
        if (!late.signal.aborted) continue;
        const missing = this.#pending().map(({ kind }) => kind.plural);
        if (missing.length > 0) {
          throw new Error(
            `expected informers to be synced within ${millis / 1000} s, waiting for ${missing.join(", ")}`,
          );
        }
      }
    } finally {
      timer?.cancel();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.kinds.stop();
    this.#wake();
    await this.#informers.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #pending(): readonly Reflector[] {
    return [...this.#reflectors].filter(
      (reflector) => !reflector.hasSynced && !reflector.hasEnded && reflector.state !== "absent",
    );
  }

  /** Resolves when an informer has progressed, or the signal is aborted. */
  async #progress(signal: AbortSignal): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    const subscriptions = this.#pending().map((reflector) => reflector.onProgress(wake));
    this.#waiters.add(wake);
    signal.addEventListener("abort", () => wake());
    if (signal.aborted) wake();
    try {
      await promise;
    } finally {
      this.#waiters.delete(wake);
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    }
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
  }

  #onError(error: unknown): void {
    // A forbidden request will not succeed later.
    if (isStatus(error, "Forbidden", "Unauthorized")) {
      this.#refusal = error;
      this.#wake();
    }
    this.#failed(error);
  }
}
