/**
 * What becomes of a Pod's containers once its volumes stand; the ways to it are `hold`, `run-nothing` and `exec`.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { LogQuery } from "./log-query.ts";
import type { MadeVolume } from "../contract.ts";

/** How a container is, as the status of its Pod says it. */
export type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];

/** A container as a Pod describes it. */
export type Container = Pod["spec"]["containers"][number];

/** How the containers of a Pod are, in the order of the Pod. */
export interface ContainerStates {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
}

/** Looks after the containers of Pods. */
export interface Containers {
  /**
   * Begins what is due, and says how the containers are; called at every look at the Pod.
   *
   * @param volumes by their names; undefined while one is missing, and no container may start (NODE-3)
   */
  sync(pod: Pod, volumes: ReadonlyMap<string, MadeVolume> | undefined): Promise<ContainerStates>;
  /**
   * Begins to end what runs, and says whether nothing does any more (NODE-8). The Pod is looked at again when something has ended.
   *
   * @param graceMillis how long it may take to end by itself
   */
  stop(podUid: string, graceMillis: number): Promise<boolean>;
  /** How the containers of a Pod that ends are; undefined where none has ever run. */
  ended(pod: Pod): ContainerStates | undefined;
  /**
   * The log of a container, until `signal` is aborted; absent where containers say nothing.
   *
   * @throws ApiError where there is none
   */
  log?(pod: Pod, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Forgets a Pod: nothing of it runs, and its directory is removed but for its logs. */
  forget(podUid: string): void;
  /** Ends what runs, since the agent ends. */
  close(): Promise<void>;
}
