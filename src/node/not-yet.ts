/**
 * Errors of volumes that wait for something.
 *
 * @module
 */
import { VolumeError } from "./contract.ts";

/** An object does not exist yet, or is not ready. No event reports it, so the agent polls. */
export class NotYet extends VolumeError {}

/** A volume is not attached yet, which is no failure for a while; an event of the Node reports it. */
export class NotAttached extends VolumeError {}
