/**
 * What provisioning is given for a claim.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Context } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import type { Attempts } from "./attempts.ts";

/** See the head of this file. */
export interface Provisioning {
  readonly ctx: Context<PersistentVolumeClaim, "Namespaced">;
  readonly sidecar: Sidecar;
  readonly attempts: Attempts;
}
