import type { Identity } from "../auth/contract.ts";

/** A user in the form of reviews, without empty members (AUTHN-38). */
export const userInfo = ({ user, uid, groups, extra = {} }: Identity): Record<string, unknown> => ({
  ...(user ? { username: user } : {}),
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups: [...groups] } : {}),
  ...(Object.keys(extra).length > 0 ? { extra: { ...extra } } : {}),
});
