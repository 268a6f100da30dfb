/**
 * What a provisioner remembers about a claim whose call has no known result.
 *
 * After a restart the finalizer of the claim is enough. This memory only keeps the provisioner from repeating a call with
 * another request, or a refused one too often.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { SidecarContext } from "../sidecar.ts";
import type { Prepared } from "./request.ts";

/** See the head of this file. */
export interface Attempt {
  readonly uid: string;
  /** The request, while the driver may work on it. */
  prepared?: Prepared | undefined;
  /** The last request, for a cleanup that cannot prepare one any more. */
  requested?: Prepared | undefined;
  /** A volume to delete. */
  unwanted?: string | undefined;
  /** How many times in a row the driver has responded that there is no volume. */
  refused: number;
  /** How many times in a row the driver has not responded whether there is a volume. */
  unclear: number;
}

/** Attempts by the key of their claim. */
export class Attempts {
  readonly #attempts = new Map<string, Attempt>();

  /** The attempt of a claim; another claim of the same name gets a new one. */
  of(key: string, uid: string): Attempt {
    const known = this.#attempts.get(key);
    if (known?.uid === uid) return known;
    const attempt: Attempt = { uid, refused: 0, unclear: 0 };
    this.#attempts.set(key, attempt);
    return attempt;
  }

  forget(key: string): void {
    this.#attempts.delete(key);
  }
}

/** What a reconcile of a claim has. */
export interface ProvisionContext extends SidecarContext<PersistentVolumeClaim, "Namespaced"> {
  readonly attempts: Attempts;
}
