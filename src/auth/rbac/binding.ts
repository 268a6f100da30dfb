/**
 * RoleBindings and ClusterRoleBindings, reduced to role and subjects (RBAC-33).
 *
 * The key of a subject is its user or group name, with a letter in front, so that no user matches a group.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Identity } from "../contract.ts";

/** The name of a role. */
export interface RoleName {
  readonly kind: "Role" | "ClusterRole";
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
  /** Namespace and name as one text. */
  readonly key: string;
}

/** Returns the name of a role; a ClusterRole has no namespace. */
export function roleName(kind: RoleName["kind"], namespace: string, name: string): RoleName {
  const scope = kind === "Role" ? namespace : "";
  return { kind, namespace: scope, name, key: `${scope}/${name}` };
}

/** A subject of a binding. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A binding, as of one resourceVersion of its object. */
export interface Binding {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly role: RoleName;
  /** The key of each subject, in their order. */
  readonly subjectKeys: readonly string[];
  readonly subjects: readonly Subject[];
}

const user = (name: string): string => `u${name}`;
const group = (name: string): string => `g${name}`;

/** The keys of the subjects that match a user. */
export const subjectKeysOf = ({ user: name, groups }: Identity): readonly string[] => [
  user(name),
  ...groups.map(group),
];

/** Reads a RoleBinding or a ClusterRoleBinding; undefined where its role is invalid. */
export function readBinding(object: ApiObject): Binding | undefined {
  const { namespace = "", name = "" } = object.metadata;
  const { kind, name: role } = object["roleRef"] as { kind: string; name: string };
  if (kind !== "ClusterRole" && (kind !== "Role" || namespace === "")) return undefined;
  const subjects = (object["subjects"] as readonly Subject[] | undefined) ?? [];
  return {
    namespace,
    name,
    role: roleName(kind, namespace, role),
    subjectKeys: subjects.map((subject) => subjectKeyOf(subject, namespace)),
    subjects,
  };
}

/** The key of a subject; an account without a namespace is in that of the binding. */
function subjectKeyOf({ kind, name, namespace }: Subject, ofBinding: string): string {
  switch (kind) {
    case "User":
      return user(name);
    case "Group":
      return group(name);
    case "ServiceAccount": {
      const scope = namespace || ofBinding;
      return scope === "" ? NO_KEY : user(`system:serviceaccount:${scope}:${name}`);
    }
    default:
      return NO_KEY;
  }
}

/** Matches no user: keys begin with a letter. */
const NO_KEY = "";

/** Describes a binding and one of its subjects, as reasons and audit events show them (RBAC-37). */
export function describe({ namespace, name, role, subjects }: Binding, subject: number): string {
  const own = namespace === "" ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`;
  const { kind = "", name: subjectName = "", namespace: scope } = subjects[subject] ?? {};
  const shown = kind === "ServiceAccount" ? `${subjectName}/${scope || namespace}` : subjectName;
  return `${own} of ${role.kind} ${quoted(role.name)} to ${kind} ${quoted(shown)}`;
}

const quoted = (text: string): string => JSON.stringify(text);
