/**
 * What resizing is given for a claim, and remembers of it.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Context } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";

/** What a resizer remembers of a claim: how the driver answered last. */
export interface LastResize {
  /** Whether the last call has ended for sure. */
  readonly isOver: boolean;
  /** When the driver refused a size for good, and which one it was. */
  readonly refused?: { readonly size: string; readonly at: number };
}

/** What resizing is given for a claim. */
export interface Resizing {
  readonly ctx: Context<PersistentVolumeClaim, "Namespaced">;
  readonly sidecar: Sidecar;
  readonly last: Map<string, LastResize>;
}
