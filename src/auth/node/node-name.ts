import type { Identity } from "../contract.ts";

const PREFIX = "system:node:";
const GROUP = "system:nodes";

/** The node of a user `system:node:NAME` of the group `system:nodes`; undefined for other users, empty for an empty name. */
export const nodeOf = ({ user, groups }: Identity): string | undefined =>
  user.startsWith(PREFIX) && groups.includes(GROUP) ? user.slice(PREFIX.length) : undefined;

/** The API group of a resource in the rules of agents; groups of the neutral dialect become those of Kubernetes. */
export const groupOfRules = (group: string): string => group.replace(/\.svc\.io$/, ".k8s.io");
