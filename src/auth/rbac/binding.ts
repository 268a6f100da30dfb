/**
 * A binding as decisions see it: which role it gives, and to whom (RBAC-33).
 *
 * Users and accounts are found by the name of the user, groups by theirs; a text for each, with a letter in front, so that no
 * user is taken for a group.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Identity } from "../contract.ts";

/** A role that a binding names. */
export interface RoleName {
  /** `Role` or `ClusterRole`. */
  readonly kind: string;
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
  /** The same as one text. */
  readonly key: string;
}

/** The name of a role; the namespace is left out for a ClusterRole. */
export function roleName(kind: string, namespace: string, name: string): RoleName {
  const home = kind === "Role" ? namespace : "";
  return { kind, namespace: home, name, key: `${home}/${name}` };
}

/** One of those who are given a role. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A binding; it stands for one state of the object and knows nothing of the cluster that it is in. */
export interface Binding {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly role: RoleName;
  /** Whom each subject stands for, in their order. */
  readonly holders: readonly string[];
  readonly subjects: readonly Subject[];
}

const user = (name: string): string => `u${name}`;
const group = (name: string): string => `g${name}`;

/** All that somebody may be named by in a binding. */
export const holdersOf = ({ user: name, groups }: Identity): readonly string[] => [user(name), ...groups.map(group)];

/** Reads a RoleBinding or a ClusterRoleBinding; undefined for one whose role cannot be told. */
export function readBinding(object: ApiObject): Binding | undefined {
  const { namespace = "", name = "" } = object.metadata;
  const { kind, name: role } = object["roleRef"] as { kind: string; name: string };
  if (kind !== "ClusterRole" && (kind !== "Role" || namespace === "")) return undefined;
  const subjects = (object["subjects"] as readonly Subject[] | undefined) ?? [];
  return {
    namespace,
    name,
    role: roleName(kind, namespace, role),
    holders: subjects.map((subject) => holderOf(subject, namespace)),
    subjects,
  };
}

/** Whom a subject stands for; an account is one of the binding's namespace where it does not say of which. */
function holderOf({ kind, name, namespace }: Subject, here: string): string {
  switch (kind) {
    case "User":
      return user(name);
    case "Group":
      return group(name);
    case "ServiceAccount": {
      const home = namespace || here;
      return home === "" ? NOBODY : user(`system:serviceaccount:${home}:${name}`);
    }
    default:
      return NOBODY;
  }
}

/** No name begins so. */
const NOBODY = "";

/** What a binding gives, in the words that clients and audit show (RBAC-37). */
export function describe({ namespace, name, role, subjects }: Binding, subject: number): string {
  const own = namespace === "" ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`;
  const { kind, name: who, namespace: home } = subjects[subject]!;
  const whom = kind === "ServiceAccount" ? `${who}/${home || namespace}` : who;
  return `${own} of ${role.kind} ${quoted(role.name)} to ${kind} ${quoted(whom)}`;
}

const quoted = (text: string): string => JSON.stringify(text);
