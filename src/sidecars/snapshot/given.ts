/**
 * What is given for a snapshot, and for its content.
 *
 * @module
 */
import type { Context } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import type { VolumeSnapshot, VolumeSnapshotContent } from "./kinds.ts";
import type { SnapshotSpecs } from "./specs.ts";

/** What is given for a snapshot. */
export interface Snapshotting {
  readonly ctx: Context<VolumeSnapshot, "Namespaced">;
  readonly sidecar: Sidecar;
  readonly specs: SnapshotSpecs;
}

/** What is given for a content. */
export interface Taking {
  readonly ctx: Context<VolumeSnapshotContent, "Cluster">;
  readonly sidecar: Sidecar;
  readonly specs: SnapshotSpecs;
  /** How often in a row a driver has left it open whether there is a snapshot, by contents. */
  readonly unclear: Map<string, number>;
}
