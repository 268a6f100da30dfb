import type { Binding, RoleName } from "../auth/rbac/binding.ts";
import type { Explanation, Grant, Miss } from "../auth/rbac/explain.ts";
import { type RuleForm, wholeResource } from "../auth/rbac/rule.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { printable } from "./colours.ts";
import { forShell } from "../util/for-shell.ts";
import type { PrintStyle } from "./print-report.ts";
import { table } from "./table.ts";
import { fit } from "../util/width.ts";

/** A user with groups. */
export interface RightsUser {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Formats a request: `delete pods "web" in namespace team-a`. */
function requestText(info: RequestInfo): string {
  if (!info.isResource) return `${info.verb} ${info.path}`;
  const { verb, group, name, namespace } = info;
  const what = `${wholeResource(info)}${group === "" ? "" : `.${group}`}`;
  return `${verb} ${what}${name === "" ? "" : ` ${name}`}${namespace === "" ? "" : ` in namespace ${namespace}`}`;
}

/** Formats a rule: `get, list of pods, pods/log`. */
function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleForm): string {
  const listed = (list: readonly string[] | null | undefined): string => (list ?? []).join(", ");
  if (nonResourceURLs?.length) return `${listed(verbs)} of ${listed(nonResourceURLs)}`;
  const groups = (apiGroups ?? []).filter((group) => group !== "");
  const of = groups.length === 0 ? "" : ` (${groups.join(", ")})`;
  return `${listed(verbs)} of ${listed(resources)}${of}${resourceNames?.length ? ` named ${listed(resourceNames)}` : ""}`;
}

const bindingText = ({ namespace, name }: Binding): string =>
  namespace === "" ? `ClusterRoleBinding ${name}` : `RoleBinding ${namespace}/${name}`;

const roleText = ({ kind, namespace, name }: RoleName): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;

/** Returns the lines of who may do something, one for each subject and rule. */
export function whoCanLines(
  info: RequestInfo,
  grants: readonly Grant[],
  { paint, columns = Infinity }: PrintStyle,
): string[] {
  const rows = grants.flatMap(({ binding, rule }) =>
    binding.subjects.map(({ kind, name, namespace }) => {
      const home = kind === "ServiceAccount" ? `${namespace || binding.namespace}/` : "";
      return [`${kind} ${home}${name}`, bindingText(binding), roleText(binding.role), ruleText(rule)];
    }),
  );
  const head = paint("bold", fit(printable(`who can ${requestText(info)}`), columns));
  const note = paint("dim", fit(`members of ${MASTERS} may do everything, whatever roles say`, columns));
  if (rows.length === 0) return [head, "  no user, by roles", note];
  return [head, ...table([["SUBJECT", "BINDING", "ROLE", "RULE"], ...rows], columns, paint), "", note];
}

/** Returns the lines of why a user may or may not do something. */
export function whyDeniedLines(user: RightsUser, info: RequestInfo, found: Explanation, style: PrintStyle): string[] {
  const { paint, columns = Infinity } = style;
  const { grants, misses, helpful } = found;
  const line = (text: string): string => fit(printable(text), columns);
  const isMaster = user.groups.includes(MASTERS);
  const may = isMaster || grants.length > 0;
  const head = paint("bold", line(`${user.user} ${may ? "may" : "may not"} ${requestText(info)}`));
  if (isMaster) return [head, line(`  members of ${MASTERS} may do everything, whatever roles say`)];
  if (may) return [head, ...grants.map(({ binding, rule }) => line(`  ${grantText(binding)}: ${ruleText(rule)}`))];
  const near = misses.slice(0, MAX_MISSES).map((miss) => line(`  ${missText(miss, info)}`));
  return [
    head,
    ...(near.length === 0 ? ["  none of its roles says anything near it"] : near),
    ...(misses.length > MAX_MISSES ? [`  and ${misses.length - MAX_MISSES} more`] : []),
    ...helpful.slice(0, MAX_ROLES).map((role) => paint("cyan", line(`     -> ${helpText(role, user, info)}`))),
    ...(helpful.length === 0 ? [paint("cyan", "     -> no role allows it; one would have to be made")] : []),
  ];
}

const MASTERS = "system:masters";
const MAX_MISSES = 10;
const MAX_ROLES = 5;

const grantText = (binding: Binding): string => `${bindingText(binding)} gives ${roleText(binding.role)}`;

function missText({ lacks, binding, rule = {} }: Miss, { verb, namespace, group }: RequestInfo): string {
  const grant = grantText(binding);
  switch (lacks) {
    case "role":
      return `${grant}, which does not exist`;
    case "namespace":
      return `${grant}: ${ruleText(rule)}, in namespace ${binding.namespace} and not ${namespace || "for the cluster"}`;
    case "name":
      return `${grant}: ${ruleText(rule)}, and no others`;
    case "verb":
      return `${grant}: ${ruleText(rule)}, not ${verb}`;
    case "subresource":
      return `${grant}: ${ruleText(rule)}, which is something else of the same kind`;
    case "group":
      return `${grant}: ${ruleText(rule)}, not in the group ${group || "without a name"}`;
  }
}

/** Returns the kubectl command that binds a role to a user. */
function helpText(role: RoleName, { user }: RightsUser, { namespace }: RequestInfo): string {
  const [, home, account] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? [];
  const to = home === undefined ? `--user=${forShell(user)}` : `--serviceaccount=${home}:${account}`;
  const grant = `--${role.kind.toLowerCase()}=${forShell(role.name)}`;
  const name = forShell(`${role.name}-${account ?? user}`);
  if (namespace === "") return `kubectl create clusterrolebinding ${name} ${grant} ${to}`;
  return `kubectl create rolebinding ${name} -n ${namespace} ${grant} ${to}`;
}
