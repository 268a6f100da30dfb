/**
 * The roles and bindings that are there from the start (RBAC-55), as data: what they are meant to be. What becomes of those
 * that are there already is for `reconcile.ts` to say.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import type { Gates } from "../../../meta/gates.ts";
import type { NewObject } from "../../../schema/definition.ts";
import { GROUP } from "../role-cells.ts";
import type { RuleForm } from "../rule.ts";
import { type Subject, account, holdersOfRoles, user } from "./bindings.ts";
import { controllerRules } from "./for-controllers.ts";
import { programRules } from "./for-programs.ts";
import { userRules } from "./for-users.ts";
import { NAMESPACE_ROLES, type NamespaceRole } from "./in-namespaces.ts";

/** A role or a binding that is there from the start. */
export interface DefaultObject {
  readonly resource: DefaultResource;
  readonly object: NewObject;
}

/** `plural.group` of a kind that there are such objects of. */
export type DefaultResource = `${"clusterroles" | "clusterrolebindings" | "roles" | "rolebindings"}.${typeof GROUP}`;

/** What a cluster is, as far as its roles depend on it. */
export interface DefaultsOf {
  readonly dialect: Dialect;
  readonly gates: Gates;
}

/** The annotation by which an object is left as it is, where it says "false" (RBAC-57). */
export const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";

/** The label by which a role gives its rules to another one (RBAC-56). */
const aggregateTo = (role: string): string => `${GROUP}/aggregate-to-${role}`;

/** The roles that gather others, each with the one that gathers it in turn. */
const GATHERING: readonly (readonly [name: string, into: string | undefined])[] = [
  ["admin", undefined],
  ["edit", "admin"],
  ["view", "edit"],
];

/** All of them: ClusterRoles, their bindings, then those of namespaces; a namespace that the dialect does not have has none. */
export function defaultRoles(of: DefaultsOf): readonly DefaultObject[] {
  const { dialect, gates } = of;
  const rules = (forms: readonly RuleForm[]): readonly RuleForm[] => forms.map((form) => inDialect(form, dialect));
  const controllers = Object.entries(controllerRules(gates));
  const roles = Object.entries({ ...userRules(gates), ...programRules(gates) });
  const local = NAMESPACE_ROLES.filter(({ namespace }) => dialect.rules.systemNamespaces.includes(namespace));
  return [
    ...GATHERING.map(([name, into]) => gatheringRole(name, into)),
    ...roles.map(([name, forms]) => clusterRole(name, rules(forms))),
    ...controllers.map(([name, forms]) => clusterRole(`system:controller:${name}`, rules(forms))),
    ...Object.entries(holdersOfRoles(gates)).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
    ...controllers.map(([name]) => clusterRoleBinding(`system:controller:${name}`, [account(name)])),
    ...local.map((role) => localRole(role, rules(role.rules))),
    ...local.map(localBinding),
  ];
}

const metadata = (
  name: string,
  labels?: Readonly<Record<string, string>>,
  namespace?: string,
): NewObject["metadata"] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { [AUTOUPDATE]: "true" },
});

/** A role without rules of its own: it gathers those of all that are meant for it. */
function gatheringRole(name: string, into: string | undefined): DefaultObject {
  const labels = into === undefined ? {} : { [aggregateTo(into)]: "true" };
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: "true" } }] };
  const object = { kind: "ClusterRole", metadata: metadata(name, labels), rules: null, aggregationRule };
  return { resource: `clusterroles.${GROUP}`, object };
}

function clusterRole(name: string, rules: readonly RuleForm[]): DefaultObject {
  const into = /^system:aggregate-to-(.*)$/.exec(name)?.[1];
  const labels = into === undefined ? {} : { [aggregateTo(into)]: "true" };
  return {
    resource: `clusterroles.${GROUP}`,
    object: { kind: "ClusterRole", metadata: metadata(name, labels), rules },
  };
}

const roleRef = (kind: string, name: string): object => ({ apiGroup: GROUP, kind, name });

const given = (subjects: readonly Subject[]): object => (subjects.length === 0 ? {} : { subjects });

const clusterRoleBinding = (name: string, subjects: readonly Subject[]): DefaultObject => ({
  resource: `clusterrolebindings.${GROUP}`,
  object: {
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    ...given(subjects),
    roleRef: roleRef("ClusterRole", name),
  },
});

const localRole = ({ namespace, name }: NamespaceRole, rules: readonly RuleForm[]): DefaultObject => ({
  resource: `roles.${GROUP}`,
  object: { kind: "Role", metadata: metadata(name, {}, namespace), rules },
});

const localBinding = ({ namespace, name, binding, users = [], accounts = [] }: NamespaceRole): DefaultObject => ({
  resource: `rolebindings.${GROUP}`,
  object: {
    kind: "RoleBinding",
    metadata: metadata(binding ?? name, {}, namespace),
    ...given([...users.map(user), ...accounts.map(account)]),
    roleRef: roleRef("Role", name),
  },
});

/** The groups that have another name in each dialect. */
const DIALECT_GROUPS: readonly string[] = ["coordination", "events", "storage", "storagemigration"].map(
  (name) => `${name}.k8s.io`,
);

/** A rule with the groups as the dialect names them. */
function inDialect(form: RuleForm, { domain }: Dialect): RuleForm {
  const { apiGroups } = form;
  if (domain === "k8s.io" || !apiGroups?.some((name) => DIALECT_GROUPS.includes(name))) return form;
  const named = apiGroups.map((name) => (DIALECT_GROUPS.includes(name) ? name.replace(/k8s\.io$/, domain) : name));
  return { ...form, apiGroups: named };
}
