/**
 * What is waited for before a volume can be made.
 *
 * @module
 */
import { VolumeError } from "./contract.ts";

/** An object is not there yet, or not as it has to be: nothing tells when it is, so it is asked for again soon. */
export class NotYet extends VolumeError {}

/** A volume is not attached yet. That is no failure for a while; the Node tells when it is. */
export class NotAttached extends VolumeError {}
