/**
 * Roles and bindings in the namespaces of the system (RBAC-55).
 *
 * @module
 */
import type { RuleForm } from "../rule.ts";
import { EVENTS, can, read } from "./rule-builders.ts";

/** A role of a namespace with its binding. */
export interface NamespaceRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly RuleForm[];
  /** The name of the binding, where it is not that of the role. */
  readonly binding?: string;
  readonly users?: readonly string[];
  /** Accounts of `kube-system`. */
  readonly accounts?: readonly string[];
}

const SYSTEM = "kube-system";
const ELECTION: readonly RuleForm[] = [
  can("create get list update watch", "coordination.k8s.io", "leases"),
  can("create get list update watch", "coordination.k8s.io", "leasecandidates"),
];

/** The roles of namespaces. */
export const NAMESPACE_ROLES: readonly NamespaceRole[] = [
  {
    namespace: SYSTEM,
    name: "extension-apiserver-authentication-reader",
    binding: "system::extension-apiserver-authentication-reader",
    rules: [can("get list watch", "core", "configmaps", "extension-apiserver-authentication")],
    users: ["system:kube-controller-manager", "system:kube-scheduler"],
  },
  {
    namespace: SYSTEM,
    name: "system::leader-locking-kube-controller-manager",
    rules: ELECTION,
    users: ["system:kube-controller-manager"],
    accounts: ["kube-controller-manager", "leader-election-controller"],
  },
  {
    namespace: SYSTEM,
    name: "system::leader-locking-kube-scheduler",
    rules: ELECTION,
    users: ["system:kube-scheduler"],
    accounts: ["kube-scheduler"],
  },
  {
    namespace: SYSTEM,
    name: "system:controller:bootstrap-signer",
    rules: [read("core", "secrets")],
    accounts: ["bootstrap-signer"],
  },
  {
    namespace: SYSTEM,
    name: "system:controller:cloud-provider",
    rules: [can("create get list watch", "core", "configmaps")],
    accounts: ["cloud-provider"],
  },
  {
    namespace: SYSTEM,
    name: "system:controller:token-cleaner",
    rules: [can("delete get list watch", "core", "secrets"), EVENTS],
    accounts: ["token-cleaner"],
  },
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    rules: [read("core", "configmaps"), can("update", "core", "configmaps", "cluster-info"), EVENTS],
    accounts: ["bootstrap-signer"],
  },
];
