/**
 * Actions: creates that store nothing of their own. A review or a token is computed; a binding or an eviction changes another
 * object. To add one, write a file in this folder and a line in the list; the kind is declared in `kinds/` with `asked`, or as what
 * a subresource `takes`.
 *
 * @module
 */
import type { Authenticator, Authorizer } from "../auth/contract.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import type { Actions, RegistryAccess } from "../registry/index.ts";
import { bindingAction } from "./binding.ts";
import { evictionAction } from "./eviction.ts";
import { reviewActions } from "./reviews.ts";
import { tokenReviewAction } from "./token-review.ts";
import { tokenAction } from "./token.ts";

/** The parts of the built-in actions. */
export interface ActionParts {
  readonly access: RegistryAccess;
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  /** Called for each token. */
  readonly signer: () => TokenSigner;
  /** The time of clients in ms since the epoch, where it is not that of objects. */
  readonly wallTime?: (() => number) | undefined;
}

/** The built-in actions. */
export const builtInActions = ({ access, authorizer, authenticator, signer, wallTime }: ActionParts): Actions =>
  new Map([
    ...reviewActions(authorizer),
    ...tokenReviewAction(authenticator),
    ...tokenAction(access.lookup, signer, wallTime),
    ...bindingAction(access),
    ...evictionAction(access),
  ]);
