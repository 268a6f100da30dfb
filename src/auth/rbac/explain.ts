/**
 * Explains why a user may do something or not: the rules and bindings that allow it, or the bindings that almost do, and the
 * roles that would help.
 *
 * A pure function of roles and bindings, for the server and for commands.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Identity } from "../contract.ts";
import { type Binding, type RoleName, subjectKeysOf, readBinding, roleName } from "./binding.ts";
import { CompiledRole } from "./role.ts";
import { ALL, type Rule, type RuleForm, wholeResource } from "./rule.ts";

/** A role with its name. */
export interface NamedRole {
  readonly name: RoleName;
  readonly role: CompiledRole;
}

/** A rule that allows a request, and its binding; where `rule` has resourceNames, it allows the request for those alone. */
export interface Grant {
  readonly binding: Binding;
  readonly rule: RuleForm;
}

/**
 * The condition of a request that a binding does not meet, nearest first.
 *
 * - role: the role of the binding does not exist
 * - namespace: the binding is in another namespace
 * - name: the rule has resourceNames, but not this name
 * - verb: the rule allows other verbs on the resource
 * - subresource: the rule is for the object, or for another subresource
 * - group: the rule is for a resource of this name in another API group
 */
export type Lack = "role" | "namespace" | "name" | "verb" | "subresource" | "group";

/** A binding that almost allows a request; without a rule where its role does not exist. */
export interface Miss {
  readonly lacks: Lack;
  readonly binding: Binding;
  readonly rule?: RuleForm;
}

/** Why a user may do something, or may not. */
export interface Explanation {
  /** The rules that allow it; empty where it is not allowed. */
  readonly grants: readonly Grant[];
  /** The nearest miss of each binding, nearest first, where nothing allows it. */
  readonly misses: readonly Miss[];
  /** The roles that would allow it, narrowest first, where nothing allows it. */
  readonly helpful: readonly RoleName[];
}

const LACKS: readonly Lack[] = ["role", "namespace", "name", "verb", "subresource", "group"];

/** Reads a Role or a ClusterRole. */
export function readRole(object: ApiObject): NamedRole {
  const { namespace = "", name = "" } = object.metadata;
  return { name: roleName(namespace === "" ? "ClusterRole" : "Role", namespace, name), role: new CompiledRole(object) };
}

/** The rules that allow a request, in the order of their bindings: those of the cluster first. */
export function grantsOf(info: RequestInfo, roles: readonly NamedRole[], bindings: readonly ApiObject[]): Grant[] {
  const known = new Map(roles.map(({ name, role }) => [name.key, role]));
  return read(bindings).flatMap((binding) => grantsBy(binding, known.get(binding.role.key), info));
}

/** Explains the decision about a request. */
export function explain(
  identity: Pick<Identity, "user" | "groups">,
  info: RequestInfo,
  roles: readonly NamedRole[],
  bindings: readonly ApiObject[],
): Explanation {
  const known = new Map(roles.map(({ name, role }) => [name.key, role]));
  const keys = new Set(subjectKeysOf(identity));
  const held = read(bindings).filter(({ subjectKeys }) => subjectKeys.some((key) => keys.has(key)));
  const grants = held
    .flatMap((binding) => grantsBy(binding, known.get(binding.role.key), info))
    .filter(({ rule }) => isForName(rule, info));
  if (grants.length > 0) return { grants, misses: [], helpful: [] };
  const misses = held.flatMap((binding) => missOf(binding, known.get(binding.role.key), info) ?? []);
  return { grants, misses: misses.toSorted(byNearness), helpful: rolesThatAllow(info, roles) };
}

/** The roles that allow a request where they are bound in its namespace, narrowest first. */
export function rolesThatAllow(info: RequestInfo, roles: readonly NamedRole[]): RoleName[] {
  const resource = wholeResource(info);
  return roles
    .filter(({ name }) => name.namespace === "" || (info.isResource && name.namespace === info.namespace))
    .filter(({ role }) => role.rules.some((rule) => allows(rule, info, resource) && rule.isForName(info.name)))
    .map(({ name, role }) => ({
      name,
      breadth: breadthOf(role) + (name.name.startsWith(SYSTEM_PREFIX) ? SYSTEM_ROLE_BREADTH : 0),
    }))
    .toSorted((a, b) => a.breadth - b.breadth || (a.name.key < b.name.key ? -1 : 1))
    .map(({ name }) => name);
}

const read = (bindings: readonly ApiObject[]): readonly Binding[] =>
  bindings.flatMap((object) => readBinding(object) ?? []).toSorted(byName);

const byName = (a: Binding, b: Binding): number =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1;

/** Whether a binding applies to the namespace of a request (RBAC-31, RBAC-32). */
const applies = ({ namespace }: Binding, info: RequestInfo): boolean =>
  namespace === "" || (info.isResource && namespace === info.namespace);

/** Whether a rule allows a request on some object, or of a path. */
const allows = (rule: Rule, info: RequestInfo, resource: string): boolean =>
  info.isResource ? rule.allowsSome(info, resource) : rule.allowsPath(info);

function grantsBy(binding: Binding, role: CompiledRole | undefined, info: RequestInfo): Grant[] {
  if (!role || !applies(binding, info)) return [];
  const resource = wholeResource(info);
  return role.forms
    .filter((_, i) => {
      const rule = role.rules[i];
      return rule && allows(rule, info, resource) && (rule.isForName(info.name) || canBeNarrowed(info));
    })
    .map((rule) => ({ binding, rule }));
}

/** Whether a request without a name may be meant for one object. */
const canBeNarrowed = ({ name, verb }: RequestInfo): boolean =>
  name === "" && verb !== "create" && verb !== "deletecollection";

const isForName = ({ resourceNames }: RuleForm, { name }: RequestInfo): boolean =>
  !resourceNames?.length || resourceNames.includes(name);

/** The nearest miss of a binding; undefined where it is for something else. */
function missOf(binding: Binding, role: CompiledRole | undefined, info: RequestInfo): Miss | undefined {
  if (!role) return applies(binding, info) ? { lacks: "role", binding } : undefined;
  let nearest: Miss | undefined;
  for (const rule of role.forms) {
    const lacks = lackOf(binding, rule, info);
    if (lacks && (!nearest || rankOf(lacks) < rankOf(nearest.lacks))) nearest = { lacks, binding, rule };
  }
  return nearest;
}

const rankOf = (lack: Lack): number => LACKS.indexOf(lack);

const byNearness = (a: Miss, b: Miss): number => rankOf(a.lacks) - rankOf(b.lacks);

/** The one condition that a rule does not meet; undefined where there are several. */
function lackOf(binding: Binding, rule: RuleForm, info: RequestInfo): Lack | undefined {
  const lacks: Lack[] = [];
  if (!applies(binding, info)) lacks.push("namespace");
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

/** A rule for the path with other verbs is near; one for other paths is not. */
const lackOfPath = ({ nonResourceURLs }: RuleForm, { path }: RequestInfo): readonly Lack[] | "all" =>
  (nonResourceURLs ?? []).some((url) => url === path || (url.endsWith(ALL) && path.startsWith(url.slice(0, -1))))
    ? []
    : "all";

const has = (list: readonly string[] | null | undefined, text: string): boolean =>
  list?.includes(text) === true || list?.includes(ALL) === true;

/** The number of values that `*` counts as. */
const WILDCARD_COUNT = 1000;

/** Roles of the programs of the system are meant for those: they come last. */
const SYSTEM_PREFIX = "system:";
const SYSTEM_ROLE_BREADTH = 100_000;

/** An estimate of how much a role allows. */
const breadthOf = ({ forms }: CompiledRole): number =>
  forms.reduce((sum, { verbs, apiGroups, resources, nonResourceURLs, resourceNames }) => {
    const objects = sizeOf(apiGroups) * sizeOf(resources) * (resourceNames?.length ? 1 : 2);
    return sum + sizeOf(verbs) * (objects + sizeOf(nonResourceURLs));
  }, 0);

const sizeOf = (list: readonly string[] | null | undefined): number =>
  list?.includes(ALL) ? WILDCARD_COUNT : (list?.length ?? 0);
