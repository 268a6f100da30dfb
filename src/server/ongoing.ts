import type { Authenticator, Connection, Identity } from "../auth/contract.ts";
import { attempt } from "../util/attempt.ts";
import type { ServerRequest } from "./request.ts";
import type { Loop } from "../util/loop.ts";

/** An answer that goes on for as long as its reader takes it: a watch, a backup. */
export interface OngoingAnswer {
  /** Who has shown the credential that it was begun with. */
  readonly owner: Identity;
  readonly connection: Connection;
  /** Its owner may have no more of it. */
  revoke(): void;
}

/** Who has shown the credential of a request, also where it is made in somebody else's name. */
export const ownerOf = ({ sender, identity }: Pick<ServerRequest, "sender" | "identity">): Identity =>
  sender ?? identity;

/**
 * Ends the answers whose credentials were taken back, in turns where there are many.
 *
 * @param onFault is told where one cannot be ended; the others are
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
