/**
 * What is written down of requests, and how much of each: the policy of an operator, decoded strictly (AUDIT-1..9).
 *
 * Nothing is done with requests here; `rules.ts` makes a function of a policy, `event.ts` knows what an event looks like.
 * The form of the file: https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy
 *
 * @module
 */
import { dnsSubdomain } from "../meta/names.ts";
import { decodeYaml } from "../value/yaml.ts";
import { type Value, type ValueObject, isObject } from "../value/value.ts";

/** How much is written of a request, from nothing to all of it. */
export const LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;

/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** When an event is written on the way of a request (AUDIT-10). */
export const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

/** One of {@link STAGES}. */
export type Stage = (typeof STAGES)[number];

/** Resources of one group (AUDIT-6). An empty list of resources is all of them, one of names any name. */
export interface PolicyResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A rule of a policy: a list that is empty asks nothing (AUDIT-3). */
export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly PolicyResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  /** Undefined where the policy decides. */
  readonly omitManagedFields: boolean | undefined;
}

/** A policy: the first rule that fits decides. */
export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** A policy that cannot be used: the message has a line for each fault, with its place. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
}

/** Reads a policy in YAML or JSON. @throws PolicyError with all that is wrong in it */
export function readPolicy(text: string): Policy {
  const faults: string[] = [];
  const policy = policyOf(decoded(text, faults), faults);
  if (faults.length > 0) throw new PolicyError(faults.join("\n"));
  return policy;
}

function decoded(text: string, faults: string[]): ValueObject {
  let found;
  try {
    found = decodeYaml(text);
  } catch (error) {
    throw new PolicyError(`expected YAML or JSON: ${(error as Error).message}`);
  }
  if (!isObject(found.value)) throw new PolicyError("expected an object of kind Policy, found none");
  faults.push(...found.duplicates.map((path) => `${path}: expected once, found twice`));
  return found.value;
}

const POLICY_MEMBERS = ["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"];
const RULE_MEMBERS = [
  "level",
  "users",
  "userGroups",
  "verbs",
  "resources",
  "namespaces",
  "nonResourceURLs",
  "omitStages",
  "omitManagedFields",
];

function policyOf(value: ValueObject, faults: string[]): Policy {
  for (const [member, wanted] of [
    ["apiVersion", "audit.k8s.io/v1"],
    ["kind", "Policy"],
  ] as const) {
    if (value[member] !== wanted) faults.push(`${member}: expected ${wanted}, got ${told(value[member])}`);
  }
  const place = new Place("", value, faults);
  place.only(POLICY_MEMBERS);
  const rules = place.objects("rules").map(ruleOf);
  if (rules.length === 0) faults.push("rules: expected a rule or more, found none");
  return {
    rules,
    omitStages: place.words("omitStages", STAGES),
    omitManagedFields: place.flag("omitManagedFields") ?? false,
  };
}

function ruleOf(place: Place): PolicyRule {
  place.only(RULE_MEMBERS);
  const rule: PolicyRule = {
    level: place.word("level", LEVELS),
    users: place.texts("users"),
    userGroups: place.texts("userGroups"),
    verbs: place.texts("verbs"),
    resources: place.objects("resources").map(resourcesOf),
    namespaces: place.texts("namespaces"),
    nonResourceURLs: place.texts("nonResourceURLs"),
    omitStages: place.words("omitStages", STAGES),
    omitManagedFields: place.flag("omitManagedFields"),
  };
  rule.nonResourceURLs.forEach((url, i) => {
    const fault = wrongUrl(url);
    if (fault !== undefined) place.fault(`nonResourceURLs[${i}]`, fault, url);
  });
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    place.fault("nonResourceURLs", "none in a rule for resources or namespaces", rule.nonResourceURLs);
  }
  return rule;
}

/** What a URL of a rule has to be and is not (AUDIT-7). */
function wrongUrl(url: string): string | undefined {
  if (url === "*") return undefined;
  if (!url.startsWith("/")) return "a path that begins with / or the star alone";
  return url.slice(0, -1).includes("*") ? "a star at the end only" : undefined;
}

function resourcesOf(place: Place): PolicyResources {
  place.only(["group", "resources", "resourceNames"]);
  const entry: PolicyResources = {
    group: place.text("group") ?? "",
    resources: place.texts("resources"),
    resourceNames: place.texts("resourceNames"),
  };
  if (entry.group !== "" && dnsSubdomain(entry.group) !== undefined) {
    place.fault("group", "the name of an API group, without a version", entry.group);
  }
  if (entry.resourceNames.length > 0 && entry.resources.length === 0) {
    place.fault("resourceNames", "none without resources", entry.resourceNames);
  }
  return entry;
}

/** An object of the file and where it stands; what is not as it has to be is added to the faults. */
class Place {
  readonly #path: string;
  readonly #value: ValueObject;
  readonly #faults: string[];

  constructor(path: string, value: ValueObject, faults: string[]) {
    this.#path = path;
    this.#value = value;
    this.#faults = faults;
  }

  /** Tells members that nobody knows. */
  only(known: readonly string[]): void {
    for (const name of Object.keys(this.#value)) {
      if (!known.includes(name)) this.#faults.push(`${this.#at(name)}: unknown, expected one of ${known.join(", ")}`);
    }
  }

  fault(member: string, wanted: string, got: unknown): void {
    this.#faults.push(`${this.#at(member)}: expected ${wanted}, got ${told(got)}`);
  }

  text(member: string): string | undefined {
    return this.#typed(member, "a text", (value) => typeof value === "string") as string | undefined;
  }

  flag(member: string): boolean | undefined {
    return this.#typed(member, "true or false", (value) => typeof value === "boolean") as boolean | undefined;
  }

  texts(member: string): readonly string[] {
    const isTexts = (value: Value): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");
    return (this.#typed(member, "a list of texts", isTexts) as readonly string[] | undefined) ?? [];
  }

  /** One of some words, which has to be there. */
  word<T extends string>(member: string, words: readonly T[]): T {
    const value = this.#value[member];
    const found = words.find((word) => word === value);
    if (found === undefined) this.fault(member, `one of ${words.join(", ")}`, value);
    return found ?? words[0]!;
  }

  words<T extends string>(member: string, words: readonly T[]): readonly T[] {
    const known = new Set<string>(words);
    return this.texts(member).filter((text, i): text is T => {
      if (!known.has(text)) this.fault(`${member}[${i}]`, `one of ${words.join(", ")}`, text);
      return known.has(text);
    });
  }

  objects(member: string): readonly Place[] {
    const isObjects = (value: Value): boolean => Array.isArray(value) && value.every((one) => isObject(one));
    const found = this.#typed(member, "a list of objects", isObjects) as readonly ValueObject[] | undefined;
    return (found ?? []).map((value, i) => new Place(`${this.#at(member)}[${i}]`, value, this.#faults));
  }

  #typed(member: string, wanted: string, fits: (value: Value) => boolean): Value | undefined {
    const value = this.#value[member] ?? undefined;
    if (value === undefined || fits(value)) return value;
    this.fault(member, wanted, value);
    return undefined;
  }

  #at(member: string): string {
    return this.#path === "" ? member : `${this.#path}.${member}`;
  }
}

const told = (value: unknown): string =>
  value === undefined || value === null ? "none" : JSON.stringify(value).slice(0, 200);
