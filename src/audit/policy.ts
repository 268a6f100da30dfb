/**
 * The audit policy of an operator: which requests have events, and how much of each request an event contains. The file is
 * decoded strictly (AUDIT-1..9); `rules.ts` compiles a policy.
 *
 * https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy
 *
 * @module
 */
import { FieldErrors } from "../meta/field-errors.ts";
import { dnsSubdomain } from "../meta/names.ts";
import { errorText } from "../util/cut-text.ts";
import { decodeYaml } from "../value/yaml.ts";
import { type Value, type ValueObject, isObject } from "../value/value.ts";

/** How much of a request an event contains, from nothing to everything. */
export const LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;

/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** The stages of a request that have an event (AUDIT-10). */
export const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

/** One of {@link STAGES}. */
export type Stage = (typeof STAGES)[number];

/** Resources of one API group (AUDIT-6). An empty list of resources means all of them, an empty list of names any name. */
export interface PolicyResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A rule of a policy; an empty list matches every request (AUDIT-3). */
export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly PolicyResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  /** Undefined where the value of the policy holds. */
  readonly omitManagedFields: boolean | undefined;
}

/** An audit policy; the first rule that matches a request decides. */
export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** A policy that cannot be used; the message has a line for each fault, with its path. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
}

/** Reads a policy in YAML or JSON. @throws PolicyError with all faults of it */
export function readPolicy(text: string): Policy {
  const errors = new FieldErrors();
  const policy = policyOf(decoded(text, errors), errors);
  if (errors.any) throw new PolicyError(errors.causes.map(({ field, message }) => `${field}: ${message}`).join("\n"));
  return policy;
}

function decoded(text: string, errors: FieldErrors): ValueObject {
  let found;
  try {
    found = decodeYaml(text);
  } catch (error) {
    throw new PolicyError(`expected YAML or JSON: ${errorText(error)}`);
  }
  if (!isObject(found.value)) throw new PolicyError("expected an object of kind Policy, found none");
  for (const path of found.duplicates) errors.add("FieldValueDuplicate", path, "Duplicate value: the key is set twice");
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

function policyOf(value: ValueObject, errors: FieldErrors): Policy {
  const fields = new FieldReader("", value, errors);
  fields.oneOf("apiVersion", ["audit.k8s.io/v1"]);
  fields.oneOf("kind", ["Policy"]);
  fields.rejectUnknown(POLICY_MEMBERS);
  const rules = fields.objects("rules").map(ruleOf);
  if (rules.length === 0) errors.required("rules", "expected at least one rule");
  return {
    rules,
    omitStages: fields.stages("omitStages"),
    omitManagedFields: fields.boolean("omitManagedFields") ?? false,
  };
}

function ruleOf(fields: FieldReader): PolicyRule {
  fields.rejectUnknown(RULE_MEMBERS);
  const rule: PolicyRule = {
    level: fields.oneOf("level", LEVELS) ?? "None",
    users: fields.strings("users"),
    userGroups: fields.strings("userGroups"),
    verbs: fields.strings("verbs"),
    resources: fields.objects("resources").map(resourcesOf),
    namespaces: fields.strings("namespaces"),
    nonResourceURLs: fields.strings("nonResourceURLs"),
    omitStages: fields.stages("omitStages"),
    omitManagedFields: fields.boolean("omitManagedFields"),
  };
  for (const [i, url] of rule.nonResourceURLs.entries()) {
    const fault = urlFault(url);
    if (fault !== undefined) fields.invalid(`nonResourceURLs[${i}]`, url, fault);
  }
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const why = "rules cannot apply to both regular resources and non-resource URLs";
    fields.invalid("nonResourceURLs", rule.nonResourceURLs, why);
  }
  return rule;
}

/** The fault of a URL in a rule (AUDIT-7). */
function urlFault(url: string): string | undefined {
  if (url === "*") return undefined;
  if (!url.startsWith("/")) return "non-resource URL rules must begin with a '/' character";
  return url.slice(0, -1).includes("*")
    ? "non-resource URL wildcards '*' must be the final character of the rule"
    : undefined;
}

function resourcesOf(fields: FieldReader): PolicyResources {
  fields.rejectUnknown(["group", "resources", "resourceNames"]);
  const entry: PolicyResources = {
    group: fields.string("group") ?? "",
    resources: fields.strings("resources"),
    resourceNames: fields.strings("resourceNames"),
  };
  const fault = entry.group === "" ? undefined : dnsSubdomain(entry.group);
  if (fault !== undefined) fields.invalid("group", entry.group, fault);
  if (entry.resourceNames.length > 0 && entry.resources.length === 0) {
    fields.invalid("resourceNames", entry.resourceNames, "using resourceNames requires at least one resource");
  }
  return entry;
}

const isString = (value: Value): value is string => typeof value === "string";
const isBoolean = (value: Value): value is boolean => typeof value === "boolean";
const isListOf =
  <T extends Value>(isElement: (value: Value) => value is T) =>
  (value: Value): value is T[] =>
    Array.isArray(value) && value.every(isElement);

/** Reads the fields of one object of the file and reports the faults. */
class FieldReader {
  readonly #path: string;
  readonly #value: ValueObject;
  readonly #errors: FieldErrors;

  constructor(path: string, value: ValueObject, errors: FieldErrors) {
    this.#path = path;
    this.#value = value;
    this.#errors = errors;
  }

  rejectUnknown(known: readonly string[]): void {
    for (const name of Object.keys(this.#value)) {
      if (!known.includes(name)) this.#errors.forbidden(this.#at(name), `unknown field, expected ${known.join(", ")}`);
    }
  }

  invalid(name: string, value: unknown, why: string): void {
    this.#errors.invalid(this.#at(name), value, why);
  }

  string(name: string): string | undefined {
    return this.#typed(name, "expected a string", isString);
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, "expected true or false", isBoolean);
  }

  strings(name: string): readonly string[] {
    return this.#typed(name, "expected a list of strings", isListOf(isString)) ?? [];
  }

  /** One of a closed set, which is required. */
  oneOf<T extends string>(name: string, supported: readonly T[]): T | undefined {
    const value = this.#value[name];
    const found = supported.find((one) => one === value);
    if (value === undefined || value === null || value === "") this.#errors.required(this.#at(name));
    else if (found === undefined) this.#errors.notSupported(this.#at(name), value, supported);
    return found;
  }

  stages(name: string): readonly Stage[] {
    return this.strings(name).flatMap((value, i) => {
      const found = STAGES.find((stage) => stage === value);
      if (!found) this.invalid(`${name}[${i}]`, value, `allowed stages are ${STAGES.join(",")}`);
      return found ?? [];
    });
  }

  objects(name: string): readonly FieldReader[] {
    const found = this.#typed(name, "expected a list of objects", isListOf(isObject)) ?? [];
    return found.map((value, i) => new FieldReader(`${this.#at(name)}[${i}]`, value, this.#errors));
  }

  #typed<T extends Value>(name: string, expected: string, isType: (value: Value) => value is T): T | undefined {
    const value = this.#value[name] ?? null;
    if (value === null) return undefined;
    if (isType(value)) return value;
    this.#errors.typeInvalid(this.#at(name), value, expected);
    return undefined;
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}
