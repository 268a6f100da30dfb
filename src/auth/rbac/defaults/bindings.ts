import type { Gates } from "../../../meta/gates.ts";
import { RBAC_GROUP } from "../role-cache.ts";

/** A subject of a default binding. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A user as a subject. */
export const user = (name: string): Subject => ({ kind: "User", apiGroup: RBAC_GROUP, name });

/** A group as a subject. */
export const group = (name: string): Subject => ({ kind: "Group", apiGroup: RBAC_GROUP, name });

/** An account of `kube-system` as a subject. */
export const account = (name: string): Subject => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

const AUTHENTICATED = group("system:authenticated");
const ACCOUNTS = group("system:serviceaccounts");

/** The subjects of each ClusterRoleBinding, by the name of the role, which is also that of the binding (RBAC-55). */
export const subjectsOfRoles = (gates: Gates): Readonly<Record<string, readonly Subject[]>> => ({
  "cluster-admin": [group("system:masters")],
  "system:basic-user": [AUTHENTICATED],
  ...(gates.ClusterTrustBundle ? { "system:cluster-trust-bundle-discovery": [ACCOUNTS] } : {}),
  "system:discovery": [AUTHENTICATED],
  "system:kube-controller-manager": [user("system:kube-controller-manager")],
  "system:kube-dns": [account("kube-dns")],
  "system:kube-scheduler": [user("system:kube-scheduler")],
  "system:monitoring": [group("system:monitoring")],
  // The node authorizer decides what nodes may do.
  "system:node": [],
  "system:node-proxier": [user("system:kube-proxy")],
  "system:public-info-viewer": [AUTHENTICATED, group("system:unauthenticated")],
  "system:service-account-issuer-discovery": [ACCOUNTS],
  "system:volume-scheduler": [user("system:kube-scheduler")],
});
