/**
 * Why somebody may do something, or may not: which rule of which role says yes and by which binding, what comes nearest where
 * none does, and which roles would help.
 *
 * It is a function of roles and bindings, whoever has read them: a server from memory, a command over the API.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Identity } from "../contract.ts";
import { type Binding, type RoleName, holdersOf, readBinding, roleName } from "./binding.ts";
import { CompiledRole } from "./role.ts";
import { ALL, type Rule, type RuleForm, wholeResource } from "./rule.ts";

/** A role with its name. */
export interface NamedRole {
  readonly name: RoleName;
  readonly role: CompiledRole;
}

/** A rule that allows what is asked, and by which binding; where `rule` names objects, for those alone. */
export interface Grant {
  readonly binding: Binding;
  readonly rule: RuleForm;
}

/**
 * What a grant lacks, nearest first.
 *
 * - role: the binding gives a role that is not there
 * - namespace: it holds in another one
 * - name: it holds for other objects, or where no list, watch or create is asked
 * - verb: it allows something else of the same
 * - subresource: it is about the object, or about another subresource
 * - group: it is about a resource of the same name in another API group
 */
export type Lack = "role" | "namespace" | "name" | "verb" | "subresource" | "group";

/** A binding that almost allows what is asked; the rule is not there where the role is missing. */
export interface Miss {
  readonly lacks: Lack;
  readonly binding: Binding;
  readonly rule?: RuleForm;
}

/** Why somebody may, or may not. */
export interface Explanation {
  /** What allows it; none where it is not allowed. */
  readonly grants: readonly Grant[];
  /** What comes nearest, where nothing allows it: of each binding the nearest, nearest first. */
  readonly misses: readonly Miss[];
  /** The roles that allow it, those that allow least first; where nothing allows it. */
  readonly helpful: readonly RoleName[];
}

const LACKS: readonly Lack[] = ["role", "namespace", "name", "verb", "subresource", "group"];

/** Reads a Role, which has a namespace, or a ClusterRole, which has none. */
export function readRole(object: ApiObject): NamedRole {
  const { namespace = "", name = "" } = object.metadata;
  return { name: roleName(namespace === "" ? "ClusterRole" : "Role", namespace, name), role: new CompiledRole(object) };
}

/** Who may do something, in the order of their bindings: those of the cluster first. */
export function grantsOf(info: RequestInfo, roles: readonly NamedRole[], bindings: readonly ApiObject[]): Grant[] {
  const known = new Map(roles.map(({ name, role }) => [name.key, role]));
  return read(bindings)
    .filter((binding) => reaches(binding, info))
    .flatMap((binding) => grantsBy(binding, known.get(binding.role.key), info));
}

/** Why somebody may do something, or may not. */
export function explain(
  identity: Pick<Identity, "user" | "groups">,
  info: RequestInfo,
  roles: readonly NamedRole[],
  bindings: readonly ApiObject[],
): Explanation {
  const known = new Map(roles.map(({ name, role }) => [name.key, role]));
  const holders = new Set(holdersOf(identity));
  const held = read(bindings).filter((binding) => binding.holders.some((holder) => holders.has(holder)));
  const grants = held
    .filter((binding) => reaches(binding, info))
    .flatMap((binding) => grantsBy(binding, known.get(binding.role.key), info))
    .filter(({ rule }) => isForName(rule, info));
  if (grants.length > 0) return { grants, misses: [], helpful: [] };
  const misses = held.flatMap((binding) => missOf(binding, known.get(binding.role.key), info) ?? []);
  return { grants, misses: misses.toSorted(byNearness), helpful: rolesThatAllow(info, roles) };
}

/** The roles that allow something to whom they are given where it is asked, those that allow least first. */
export function rolesThatAllow(info: RequestInfo, roles: readonly NamedRole[]): RoleName[] {
  const resource = wholeResource(info);
  return roles
    .filter(({ name }) => name.namespace === "" || (info.isResource && name.namespace === info.namespace))
    .filter(({ role }) => role.rules.some((rule) => allows(rule, info, resource) && rule.isForName(info.name)))
    .map(({ name, role }) => ({ name, breadth: breadthOf(role) + (name.name.startsWith(OF_SYSTEM) ? RATHER_NOT : 0) }))
    .toSorted((a, b) => a.breadth - b.breadth || (a.name.key < b.name.key ? -1 : 1))
    .map(({ name }) => name);
}

const read = (bindings: readonly ApiObject[]): readonly Binding[] =>
  bindings.flatMap((object) => readBinding(object) ?? []).toSorted(byPlace);

const byPlace = (a: Binding, b: Binding): number =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1;

/** Whether a binding says anything of where something is asked (RBAC-31, RBAC-32). */
const reaches = ({ namespace }: Binding, info: RequestInfo): boolean =>
  namespace === "" || (info.isResource && namespace === info.namespace);

/** Whether a rule allows what is asked of some object, or of the path. */
const allows = (rule: Rule, info: RequestInfo, resource: string): boolean =>
  info.isResource ? rule.allowsSome(info, resource) : rule.allowsPath(info);

function grantsBy(binding: Binding, role: CompiledRole | undefined, info: RequestInfo): Grant[] {
  const resource = wholeResource(info);
  const { rules = [], forms = [] } = role ?? {};
  return rules.flatMap((rule, i) => {
    const isFor = rule.isForName(info.name) || canBeNarrowed(info);
    return allows(rule, info, resource) && isFor ? [{ binding, rule: forms[i]! }] : [];
  });
}

/** Whether a question that names no object may be about one: who asks it may mean any. */
const canBeNarrowed = ({ name, verb }: RequestInfo): boolean =>
  name === "" && verb !== "create" && verb !== "deletecollection";

const isForName = ({ resourceNames }: RuleForm, { name }: RequestInfo): boolean =>
  !resourceNames?.length || resourceNames.includes(name);

/** The nearest that a binding comes; undefined for one that is about something else. */
function missOf(binding: Binding, role: CompiledRole | undefined, info: RequestInfo): Miss | undefined {
  if (!role) return reaches(binding, info) ? { lacks: "role", binding } : undefined;
  let nearest: Miss | undefined;
  for (const rule of role.forms) {
    const lacks = lackOf(binding, rule, info);
    if (lacks && (!nearest || rankOf(lacks) < rankOf(nearest.lacks))) nearest = { lacks, binding, rule };
  }
  return nearest;
}

const rankOf = (lack: Lack): number => LACKS.indexOf(lack);

const byNearness = (a: Miss, b: Miss): number => rankOf(a.lacks) - rankOf(b.lacks);

/** The one thing that a rule lacks; undefined where it lacks several. */
function lackOf(binding: Binding, rule: RuleForm, info: RequestInfo): Lack | undefined {
  const lacks: Lack[] = [];
  if (!reaches(binding, info)) lacks.push("namespace");
  if (!has(rule.verbs, info.verb)) lacks.push("verb");
  const elsewhere = info.isResource ? lackOfResource(rule, info) : lackOfPath(rule, info);
  if (elsewhere === "all") return undefined;
  return [...lacks, ...elsewhere].length === 1 ? [...lacks, ...elsewhere][0] : undefined;
}

function lackOfResource(rule: RuleForm, info: RequestInfo): readonly Lack[] | "all" {
  const { resource, subresource, group } = info;
  const isExact =
    has(rule.resources, wholeResource(info)) || (subresource !== "" && has(rule.resources, `*/${subresource}`));
  const isNear = (rule.resources ?? []).some((one) => one === resource || one.startsWith(`${resource}/`));
  if (!isExact && !isNear) return "all";
  return [
    ...(isExact ? [] : (["subresource"] as const)),
    ...(has(rule.apiGroups, group) ? [] : (["group"] as const)),
    ...(isForName(rule, info) ? [] : (["name"] as const)),
  ];
}

/** A rule about the path that holds for another verb is near; one about other paths is not. */
const lackOfPath = ({ nonResourceURLs }: RuleForm, { path }: RequestInfo): readonly Lack[] | "all" =>
  (nonResourceURLs ?? []).some((url) => url === path || (url.endsWith(ALL) && path.startsWith(url.slice(0, -1))))
    ? []
    : "all";

const has = (list: readonly string[] | null | undefined, text: string): boolean =>
  list?.includes(text) === true || list?.includes(ALL) === true;

/** What `*` counts for, which stands for more than anybody would write down. */
const ANY = 1000;

/** Roles of the system's own programs are named so: they are for nobody else, where another one will do. */
const OF_SYSTEM = "system:";
const RATHER_NOT = 100_000;

/** About how much a role allows. */
const breadthOf = ({ forms }: CompiledRole): number =>
  forms.reduce((sum, { verbs, apiGroups, resources, nonResourceURLs, resourceNames }) => {
    const objects = sizeOf(apiGroups) * sizeOf(resources) * (resourceNames?.length ? 1 : 2);
    return sum + sizeOf(verbs) * (objects + sizeOf(nonResourceURLs));
  }, 0);

const sizeOf = (list: readonly string[] | null | undefined): number =>
  list?.includes(ALL) ? ANY : (list?.length ?? 0);
