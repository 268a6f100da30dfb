/**
 * The containers of Pods whose volumes are set up. The implementations are `hold`, `run-nothing` and `exec`.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { LogQuery } from "./log-query.ts";
import type { MadeVolume } from "../contract.ts";

/** The status of a container, as in the status of its Pod. */
export type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];

/** A container in the spec of a Pod. */
export type Container = Pod["spec"]["containers"][number];

/** The statuses of the containers of a Pod, in the order of its spec. */
export interface ContainerStates {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
}

/** Manages the containers of Pods. */
export interface Containers {
  /**
   * Starts what is due, and returns the statuses; called at every reconcile of the Pod.
   *
   * @param volumes by their names; undefined while one is missing, and no container may start (NODE-3)
   */
  sync(pod: Pod, volumes: ReadonlyMap<string, MadeVolume> | undefined): Promise<ContainerStates>;
  /**
   * Stops what runs, and returns whether nothing runs any more (NODE-8). A container that ends reconciles the Pod again.
   *
   * @param graceMillis the time before it is killed
   */
  stop(podUid: string, graceMillis: number): Promise<boolean>;
  /** The statuses for a Pod that ends; undefined where no container has ever run. */
  ended(pod: Pod): ContainerStates | undefined;
  /**
   * The log of a container, until `signal` is aborted; absent where containers write none.
   *
   * @throws ApiError where there is no log
   */
  log?(pod: Pod, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Forgets a Pod without running containers, whose directory is removed except for its logs. */
  forget(podUid: string): void;
  /** Stops everything when the agent stops. */
  close(): Promise<void>;
}
