import type { Authenticator, Connection, Identity } from "../../auth/contract.ts";
import { attempt } from "../../util/attempt.ts";
import type { Loop } from "../../util/loop.ts";

/** A response that goes on for as long as its reader takes it: a watch, a log, a backup. */
export interface OngoingAnswer {
  /** Whose credential it was begun with. */
  readonly owner: Identity;
  readonly connection: Connection;
  /** Its owner may have no more of it. */
  revoke(): void;
}

/** Whose credential a request has, also where it is sent in the name of another user. */
export const ownerOf = ({ sender, identity }: { readonly sender: Identity | undefined; readonly identity: Identity }) =>
  sender ?? identity;

/**
 * Ends the responses whose credentials were taken back, in slices where there are many.
 *
 * @param onFault takes the failure of one that cannot be ended; the others are
 */
export async function endRevoked(
  ongoing: Iterable<OngoingAnswer>,
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
