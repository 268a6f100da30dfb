/**
 * The default roles and bindings (RBAC-55), as data. `reconcile.ts` compares them with those of a cluster.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import type { Gates } from "../../../meta/gates.ts";
import type { NewObject } from "../../../schema/definition.ts";
import { RBAC_GROUP } from "../role-cache.ts";
import type { RuleForm } from "../rule.ts";
import { type Subject, account, subjectsOfRoles, user } from "./bindings.ts";
import { controllerRules } from "./for-controllers.ts";
import { programRules } from "./for-programs.ts";
import { userRules } from "./for-users.ts";
import { NAMESPACE_ROLES, type NamespaceRole } from "./in-namespaces.ts";

/** A default role or binding. */
export interface DefaultObject {
  readonly resource: DefaultResource;
  readonly object: NewObject;
}

/** `plural.group` of the kinds of default objects. */
export type DefaultResource =
  `${"clusterroles" | "clusterrolebindings" | "roles" | "rolebindings"}.${typeof RBAC_GROUP}`;

/** The parts of a cluster that its default roles depend on. */
export interface DefaultsOf {
  readonly dialect: Dialect;
  readonly gates: Gates;
}

/** The annotation that, where it is "false", keeps an object from being reconciled (RBAC-57). */
export const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";

/** The label of the roles that are aggregated to another one (RBAC-56). */
const aggregateTo = (role: string): string => `${RBAC_GROUP}/aggregate-to-${role}`;

/** The aggregated roles, each with the one that it is aggregated to. */
const AGGREGATED: readonly (readonly [name: string, into: string | undefined])[] = [
  ["admin", undefined],
  ["edit", "admin"],
  ["view", "edit"],
];

/** All default objects: ClusterRoles, their bindings, then those of the namespaces that the dialect has. */
export function defaultRoles(of: DefaultsOf): readonly DefaultObject[] {
  const { dialect, gates } = of;
  const rules = (forms: readonly RuleForm[]): readonly RuleForm[] => forms.map((form) => inDialect(form, dialect));
  const controllers = Object.entries(controllerRules(gates));
  const roles = Object.entries({ ...userRules(gates), ...programRules(gates) });
  const local = NAMESPACE_ROLES.filter(({ namespace }) => dialect.rules.systemNamespaces.includes(namespace));
  return [
    ...AGGREGATED.map(([name, into]) => aggregatedRole(name, into)),
    ...roles.map(([name, forms]) => clusterRole(name, rules(forms))),
    ...controllers.map(([name, forms]) => clusterRole(`system:controller:${name}`, rules(forms))),
    ...Object.entries(subjectsOfRoles(gates)).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
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

/** A role without rules of its own. */
function aggregatedRole(name: string, into: string | undefined): DefaultObject {
  const labels = into === undefined ? {} : { [aggregateTo(into)]: "true" };
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: "true" } }] };
  const object = { kind: "ClusterRole", metadata: metadata(name, labels), rules: null, aggregationRule };
  return { resource: `clusterroles.${RBAC_GROUP}`, object };
}

function clusterRole(name: string, rules: readonly RuleForm[]): DefaultObject {
  const into = /^system:aggregate-to-(.*)$/.exec(name)?.[1];
  const labels = into === undefined ? {} : { [aggregateTo(into)]: "true" };
  return {
    resource: `clusterroles.${RBAC_GROUP}`,
    object: { kind: "ClusterRole", metadata: metadata(name, labels), rules },
  };
}

const roleRef = (kind: string, name: string): object => ({ apiGroup: RBAC_GROUP, kind, name });

const withSubjects = (subjects: readonly Subject[]): object => (subjects.length === 0 ? {} : { subjects });

const clusterRoleBinding = (name: string, subjects: readonly Subject[]): DefaultObject => ({
  resource: `clusterrolebindings.${RBAC_GROUP}`,
  object: {
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    ...withSubjects(subjects),
    roleRef: roleRef("ClusterRole", name),
  },
});

const localRole = ({ namespace, name }: NamespaceRole, rules: readonly RuleForm[]): DefaultObject => ({
  resource: `roles.${RBAC_GROUP}`,
  object: { kind: "Role", metadata: metadata(name, {}, namespace), rules },
});

const localBinding = ({ namespace, name, binding, users = [], accounts = [] }: NamespaceRole): DefaultObject => ({
  resource: `rolebindings.${RBAC_GROUP}`,
  object: {
    kind: "RoleBinding",
    metadata: metadata(binding ?? name, {}, namespace),
    ...withSubjects([...users.map(user), ...accounts.map(account)]),
    roleRef: roleRef("Role", name),
  },
});

/** The API groups that have another name in each dialect. */
const DIALECT_GROUPS: readonly string[] = ["coordination", "events", "storage", "storagemigration"].map(
  (name) => `${name}.k8s.io`,
);

/** A rule with the API groups of the dialect. */
function inDialect(form: RuleForm, { domain }: Dialect): RuleForm {
  const { apiGroups } = form;
  if (domain === "k8s.io" || !apiGroups?.some((name) => DIALECT_GROUPS.includes(name))) return form;
  const named = apiGroups.map((name) => (DIALECT_GROUPS.includes(name) ? name.replace(/k8s\.io$/, domain) : name));
  return { ...form, apiGroups: named };
}
