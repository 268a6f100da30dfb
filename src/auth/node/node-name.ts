import type { Identity } from "../contract.ts";

const PREFIX = "system:node:";
const GROUP = "system:nodes";

/**
 * The node whose agent somebody is: a user `system:node:NAME` of the group `system:nodes`. Undefined for everybody else,
 * empty where the name is.
 */
export const nodeOf = ({ user, groups }: Identity): string | undefined =>
  user.startsWith(PREFIX) && groups.includes(GROUP) ? user.slice(PREFIX.length) : undefined;

/** The group of a resource as the rules of agents name it: groups that the neutral dialect has under a domain of its own count as well. */
export const groupOfRules = (group: string): string => group.replace(/\.svc\.io$/, ".k8s.io");
