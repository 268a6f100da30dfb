/**
 * What a controller does in its term: it adds keys to the queue, and handles those that come out of it.
 *
 * @module
 */
import type { ApiObject, Kind } from "../client/index.ts";
import type { Priority } from "../util/work-queue.ts";
import type { CommonParts } from "./context.ts";
import type { AnyDefinition, Result } from "./definition.ts";
import type { GetInformer, InformerSpec } from "./informer.ts";
import type { HeldInformer } from "./informers.ts";
import type { ControllerMetrics } from "./metrics.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** An informer and what it was asked for. */
export interface Followed {
  readonly spec: InformerSpec;
  readonly informer: HeldInformer;
}

/** The controller that has the term. */
export interface RunningController<D extends AnyDefinition = AnyDefinition> {
  readonly definition: D;
  readonly metrics: ControllerMetrics;
  /** The informers of `for`, `owns`, `uses` and the watched sources, in this order. */
  readonly followed: readonly Followed[];
  readonly informer: GetInformer;
  /** The objects of a kind in `owns` that an object controls. */
  readonly owned: (kind: Kind, owner: ApiObject) => readonly ApiObject[];
}

/** What a term gives its duty. */
export interface ReconcilerParts {
  readonly shared: ManagerParts;
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  readonly add: (key: string, priority?: Priority) => void;
  /** What the context of a key is made of. */
  readonly contextParts: (key: string, attempt: number, signal: AbortSignal) => CommonParts;
}

/** See the head of this file; it begins to add keys when it is made. */
export interface Reconciler {
  /** Handles a key. */
  handle(key: string, attempt: number, signal: AbortSignal): Promise<Result>;
  /** Milliseconds after which a key comes back by itself. */
  resync(key: string): number | undefined;
  /** Adds no more keys. */
  stopAdding(): void;
  /** Resolves when nothing of it is under way; its signal has been aborted. */
  end(): Promise<void>;
}
