/**
 * What attaching is given for an attachment.
 *
 * @module
 */
import type { VolumeAttachment } from "../../client/kinds/index.ts";
import type { Context } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";

/** See the head of this file. */
export interface Attaching {
  readonly ctx: Context<VolumeAttachment, "Cluster">;
  readonly sidecar: Sidecar;
}
