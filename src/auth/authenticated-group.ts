import { ANONYMOUS, type Identity } from "./contract.ts";

const AUTHENTICATED = "system:authenticated";

/** Adds the group `system:authenticated` to an authenticated user (AUTHN-9). */
export function withAuthenticatedGroup(identity: Identity): Identity {
  const { user, groups } = identity;
  const isComplete = [AUTHENTICATED, ...ANONYMOUS.groups].some((group) => groups.includes(group));
  return isComplete || user === ANONYMOUS.user ? identity : { ...identity, groups: [...groups, AUTHENTICATED] };
}
