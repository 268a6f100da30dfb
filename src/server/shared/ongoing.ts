import type { Authenticator, Connection, Identity } from "../../auth/contract.ts";
import { attempt } from "../../util/attempt.ts";
import type { Loop } from "../../util/loop.ts";

/** A response that continues for as long as its reader reads: a watch, a log, a backup. */
export interface OngoingResponse {
  /** Whose credential it was begun with. */
  readonly owner: Identity;
  readonly connection: Connection;
  /** Ends it, because its owner has lost the right to it. */
  revoke(): void;
}

/** The credential of a request, also where it is sent in the name of another user. */
export const ownerOf = ({ sender, identity }: { readonly sender: Identity | undefined; readonly identity: Identity }) =>
  sender ?? identity;

/**
 * Ends the responses whose credentials are no longer valid, in slices where there are many.
 *
 * @param onFault takes the failure of one that cannot be ended; the others are
 */
export async function endRevoked(
  ongoing: Iterable<OngoingResponse>,
  authenticator: Authenticator,
  loop: Loop,
  onFault: (error: unknown) => void,
): Promise<void> {
  const limit = loop.slice();
  for (const one of ongoing) {
    void attempt(() => {
      if (authenticator.isRevoked?.(one.owner, one.connection)) one.revoke();
    }, onFault);
    const pause = limit.pause();
    if (pause) await pause;
  }
}
