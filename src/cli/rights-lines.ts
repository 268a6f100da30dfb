/**
 * Who may do something, and why somebody may not, as people read it.
 *
 * @module
 */
import type { Binding, RoleName } from "../auth/rbac/binding.ts";
import type { Explanation, Grant, Miss } from "../auth/rbac/explain.ts";
import { type RuleForm, wholeResource } from "../auth/rbac/rule.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { type Painter, printable } from "./colours.ts";
import { table } from "./table.ts";
import { fit } from "./width.ts";

/** How to print. */
export interface RightsStyle {
  readonly paint: Painter;
  /** Places of a line; tables are cut. */
  readonly columns?: number | undefined;
}

/** Somebody who is asked about. */
export interface Asker {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The question in words: `delete pods "web" in namespace team-a`. */
function questionText(info: RequestInfo): string {
  if (!info.isResource) return `${info.verb} ${info.path}`;
  const { verb, group, name, namespace } = info;
  const what = `${wholeResource(info)}${group === "" ? "" : `.${group}`}`;
  return `${verb} ${what}${name === "" ? "" : ` ${name}`}${namespace === "" ? "" : ` in namespace ${namespace}`}`;
}

/** What a rule allows: `get, list of pods, pods/log`. */
function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleForm): string {
  const said = (list: readonly string[] | null | undefined): string => (list ?? []).join(", ");
  if (nonResourceURLs?.length) return `${said(verbs)} of ${said(nonResourceURLs)}`;
  const groups = (apiGroups ?? []).filter((group) => group !== "");
  const of = groups.length === 0 ? "" : ` (${groups.join(", ")})`;
  return `${said(verbs)} of ${said(resources)}${of}${resourceNames?.length ? ` named ${said(resourceNames)}` : ""}`;
}

const bindingText = ({ namespace, name }: Binding): string =>
  namespace === "" ? `ClusterRoleBinding ${name}` : `RoleBinding ${namespace}/${name}`;

const roleText = ({ kind, namespace, name }: RoleName): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;

/** The lines of all who may do something: one for each subject and rule. */
export function whoCanLines(
  info: RequestInfo,
  grants: readonly Grant[],
  { paint, columns = Infinity }: RightsStyle,
): string[] {
  const rows = grants.flatMap(({ binding, rule }) =>
    binding.subjects.map(({ kind, name, namespace }) => {
      const home = kind === "ServiceAccount" ? `${namespace || binding.namespace}/` : "";
      return [`${kind} ${home}${name}`, bindingText(binding), roleText(binding.role), ruleText(rule)];
    }),
  );
  const head = paint("bold", fit(printable(`who can ${questionText(info)}`), columns));
  const note = paint("dim", fit(`members of ${MASTERS} may do everything, whatever roles say`, columns));
  if (rows.length === 0) return [head, "  nobody, by roles", note];
  return [head, ...table([["SUBJECT", "BINDING", "ROLE", "RULE"], ...rows], columns, paint), "", note];
}

/** The lines of why somebody may do something, or may not. */
export function whyDeniedLines(asker: Asker, info: RequestInfo, found: Explanation, style: RightsStyle): string[] {
  const { paint, columns = Infinity } = style;
  const { grants, misses, helpful } = found;
  const told = (text: string): string => fit(printable(text), columns);
  const isMaster = asker.groups.includes(MASTERS);
  const may = isMaster || grants.length > 0;
  const head = paint("bold", told(`${asker.user} ${may ? "may" : "may not"} ${questionText(info)}`));
  if (isMaster) return [head, told(`  members of ${MASTERS} may do everything, whatever roles say`)];
  if (may) return [head, ...grants.map(({ binding, rule }) => told(`  ${givenText(binding)}: ${ruleText(rule)}`))];
  const near = misses.slice(0, MOST).map((miss) => told(`  ${missText(miss, info)}`));
  return [
    head,
    ...(near.length === 0 ? ["  none of its roles says anything near it"] : near),
    ...(misses.length > MOST ? [`  and ${misses.length - MOST} more`] : []),
    ...helpful.slice(0, MOST_HELP).map((role) => paint("cyan", told(`     -> ${helpText(role, asker, info)}`))),
    ...(helpful.length === 0 ? [paint("cyan", "     -> no role allows it; one would have to be made")] : []),
  ];
}

const MASTERS = "system:masters";
const MOST = 10;
const MOST_HELP = 5;

const givenText = (binding: Binding): string => `${bindingText(binding)} gives ${roleText(binding.role)}`;

function missText({ lacks, binding, rule = {} }: Miss, { verb, namespace, group }: RequestInfo): string {
  const given = givenText(binding);
  switch (lacks) {
    case "role":
      return `${given}, which does not exist`;
    case "namespace":
      return `${given}: ${ruleText(rule)}, in namespace ${binding.namespace} and not ${namespace || "for the cluster"}`;
    case "name":
      return `${given}: ${ruleText(rule)}, and no others`;
    case "verb":
      return `${given}: ${ruleText(rule)}, not ${verb}`;
    case "subresource":
      return `${given}: ${ruleText(rule)}, which is something else of the same kind`;
    case "group":
      return `${given}: ${ruleText(rule)}, not in the group ${group || "without a name"}`;
  }
}

/** What gives a role to somebody, as it is typed. */
function helpText(role: RoleName, { user }: Asker, { namespace }: RequestInfo): string {
  const [, home, account] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? [];
  const to = home === undefined ? `--user=${shellWord(user)}` : `--serviceaccount=${home}:${account}`;
  const given = `--${role.kind.toLowerCase()}=${shellWord(role.name)}`;
  const name = shellWord(`${role.name}-${account ?? user}`);
  if (namespace === "") return `kubectl create clusterrolebinding ${name} ${given} ${to}`;
  return `kubectl create rolebinding ${name} -n ${namespace} ${given} ${to}`;
}

const shellWord = (text: string): string =>
  /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
