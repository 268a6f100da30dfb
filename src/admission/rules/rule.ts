/**
 * One compiled rule: whether it matches an operation on a resource or a subresource.
 *
 * @module
 */
import type { AdmissionRequest, ResourceVersion } from "../contract.ts";
import type { Rule } from "./contract.ts";

const EVERYTHING = "*";

/** The values of a list; undefined where one of them stands for all. */
type Values = ReadonlySet<string> | undefined;

const valuesOf = (list: readonly string[] = []): Values => (list.includes(EVERYTHING) ? undefined : new Set(list));

/** The static part of a request: it is the same for all requests of one resource, operation and subresource. */
export type RequestTarget = Pick<AdmissionRequest, "operation" | "namespaced" | "subresource">;

/** A compiled rule. */
export class CompiledRule {
  readonly #operations: Values;
  readonly #groups: Values;
  readonly #versions: Values;
  readonly #resources: readonly ResourcePattern[];
  readonly #scope: string;
  readonly #names: ReadonlySet<string> | undefined;

  constructor({ operations, apiGroups, apiVersions, resources = [], scope = EVERYTHING, resourceNames = [] }: Rule) {
    this.#operations = valuesOf(operations);
    this.#groups = valuesOf(apiGroups);
    this.#versions = valuesOf(apiVersions);
    this.#resources = resources.map((text) => new ResourcePattern(text));
    this.#scope = scope;
    this.#names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
  }

  /** Whether the rule matches such requests, for any name of their object. */
  isAbout({ operation, namespaced, subresource }: RequestTarget, { group, version, plural }: ResourceVersion): boolean {
    return (
      has(this.#operations, operation) &&
      has(this.#groups, group) &&
      has(this.#versions, version) &&
      this.#isInScope(namespaced) &&
      this.#resources.some((pattern) => pattern.matches(plural, subresource))
    );
  }

  /** Whether the rule matches an object of that name. */
  isAboutName(name: string): boolean {
    return has(this.#names, name);
  }

  #isInScope(namespaced: boolean): boolean {
    return this.#scope === EVERYTHING || this.#scope === (namespaced ? "Namespaced" : "Cluster");
  }
}

const has = (values: Values, value: string): boolean => values === undefined || values.has(value);

/** One of the resources of a rule: a pattern without a slash does not match subresources (HOOK-13). */
class ResourcePattern {
  readonly #resource: string;
  readonly #subresource: string;

  constructor(text: string) {
    const slash = text.indexOf("/");
    this.#resource = slash < 0 ? text : text.slice(0, slash);
    this.#subresource = slash < 0 ? "" : text.slice(slash + 1);
  }

  matches(resource: string, subresource: string): boolean {
    const isResource = this.#resource === EVERYTHING || this.#resource === resource;
    return isResource && (this.#subresource === EVERYTHING || this.#subresource === subresource);
  }
}
