import type { Identity } from "../contract.ts";

const PREFIX = "system:node:";
const GROUP = "system:nodes";

/**
 * The node whose agent somebody is: a user `system:node:NAME` of the group `system:nodes`. Undefined for everybody else,
 * empty where the name is.
 */
export const nodeOf = ({ user, groups }: Identity): string | undefined =>
  user.startsWith(PREFIX) && groups.includes(GROUP) ? user.slice(PREFIX.length) : undefined;
