import type { Gates } from "../../../meta/gates.ts";
import { GROUP } from "../role-cells.ts";

/** Somebody who is given a role. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A user as a subject. */
export const user = (name: string): Subject => ({ kind: "User", apiGroup: GROUP, name });

/** A group as a subject. */
export const group = (name: string): Subject => ({ kind: "Group", apiGroup: GROUP, name });

/** An account of `kube-system` as a subject. */
export const account = (name: string): Subject => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

const EVERYBODY = group("system:authenticated");
const ACCOUNTS = group("system:serviceaccounts");

/** Who has which ClusterRole everywhere, by the name of the role, which is that of the binding (RBAC-55). */
export const holdersOfRoles = (gates: Gates): Readonly<Record<string, readonly Subject[]>> => ({
  "cluster-admin": [group("system:masters")],
  "system:basic-user": [EVERYBODY],
  ...(gates.ClusterTrustBundle ? { "system:cluster-trust-bundle-discovery": [ACCOUNTS] } : {}),
  "system:discovery": [EVERYBODY],
  "system:kube-controller-manager": [user("system:kube-controller-manager")],
  "system:kube-dns": [account("kube-dns")],
  "system:kube-scheduler": [user("system:kube-scheduler")],
  "system:monitoring": [group("system:monitoring")],
  // What a node may do is for the node authorizer to say, which knows what runs on it.
  "system:node": [],
  "system:node-proxier": [user("system:kube-proxy")],
  "system:public-info-viewer": [EVERYBODY, group("system:unauthenticated")],
  "system:service-account-issuer-discovery": [ACCOUNTS],
  "system:volume-scheduler": [user("system:kube-scheduler")],
});
