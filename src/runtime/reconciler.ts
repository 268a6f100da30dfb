import type { ApiObject, Kind } from "../client/index.ts";
import type { Priority } from "../util/work-queue.ts";
import type { CommonParts, ReconcileLimit } from "./context.ts";
import type { AnyDefinition, Result } from "./definition.ts";
import type { GetInformer, InformerSpec } from "./informer.ts";
import type { HeldInformer } from "./informers.ts";
import type { ControllerMetrics } from "./metrics.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** An informer and its spec. */
export interface Followed {
  readonly spec: InformerSpec;
  readonly informer: HeldInformer;
}

/** The running controller. */
export interface RunningController<D extends AnyDefinition = AnyDefinition> {
  readonly definition: D;
  readonly metrics: ControllerMetrics;
  /** The informers of `for`, `owns`, `uses` and the watched sources, in this order. */
  readonly followed: readonly Followed[];
  readonly informer: GetInformer;
  /** Returns the objects of a kind in `owns` that an object controls. */
  readonly owned: (kind: Kind, owner: ApiObject) => readonly ApiObject[];
}

/** The parts of a reconciler. */
export interface ReconcilerParts {
  readonly shared: ManagerParts;
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  readonly add: (key: string, priority?: Priority) => void;
  /** Creates the parts of the context of a key. */
  readonly contextParts: (key: string, attempt: number, limit: ReconcileLimit) => CommonParts;
}

/** Adds keys to the queue of a term, and reconciles them. The constructor begins to add keys. */
export interface Reconciler {
  /** Reconciles a key. */
  handle(key: string, attempt: number, limit: ReconcileLimit): Promise<Result>;
  /** The milliseconds until a key is added again. */
  resync(key: string): number | undefined;
  /** Adds no more keys. */
  stopAdding(): void;
  /** Resolves when no work is left; its signal has been aborted. */
  end(): Promise<void>;
}
