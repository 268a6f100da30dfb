import { ANONYMOUS, type Identity } from "./contract.ts";

const AUTHENTICATED = "system:authenticated";

/** Somebody as they are known once their credential was accepted: also one of `system:authenticated` (AUTHN-9). */
export function known(identity: Identity): Identity {
  const { user, groups } = identity;
  const isSaid = groups.includes(AUTHENTICATED) || groups.includes(ANONYMOUS.groups[0]!);
  return isSaid || user === ANONYMOUS.user ? identity : { ...identity, groups: [...groups, AUTHENTICATED] };
}
