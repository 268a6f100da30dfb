/**
 * What modifying is given for a claim, and remembers of it.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Context } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";

/** What a modifier remembers of a claim: how the driver answered last. */
export interface LastModification {
  /** Whether the last call may be going on. */
  readonly isOpen: boolean;
  /** When the driver refused a class, and which one it was. */
  readonly refused?: { readonly name: string; readonly at: number };
}

/** What modifying is given for a claim. */
export interface Modifying {
  readonly ctx: Context<PersistentVolumeClaim, "Namespaced">;
  readonly sidecar: Sidecar;
  readonly last: Map<string, LastModification>;
}
