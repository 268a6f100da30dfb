/**
 * One rule of a role (RBAC-24..31). It is compiled once: long lists become sets, so that they do not slow down decisions.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import { withoutTrailing } from "../../util/scan.ts";

/** A rule of a Role or ClusterRole object; every member may be missing. */
export interface RuleForm {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

/** Matches every verb, group or resource; at the end of a path, every path with the prefix. */
export const ALL = "*";

/** Longer lists become sets. */
const MAX_SCANNED = 8;

/** Tests whether a text is in a list. */
export type OneOf = (text: string) => boolean;

/** Returns a test whether a text is in a list; its time does not depend on the length of the list. */
export function oneOf(list: readonly string[]): OneOf {
  if (list.length > MAX_SCANNED) {
    const set = new Set(list);
    return (text) => set.has(text);
  }
  return (text) => list.includes(text);
}

const anything: OneOf = () => true;

/** As {@link oneOf}; with `*` in the list, every text passes. */
export const oneOfOrAll = (list: readonly string[]): OneOf => (list.includes(ALL) ? anything : oneOf(list));

/** The resource of a request with its subresource, in the form of rules. */
export const wholeResource = ({ resource, subresource }: Pick<RequestInfo, "resource" | "subresource">): string =>
  subresource === "" ? resource : `${resource}/${subresource}`;

/** A compiled rule. */
export class Rule {
  readonly #verbs: OneOf;
  readonly #groups: OneOf;
  readonly #resources: OneOf;
  readonly #names: OneOf | undefined;
  readonly #paths: PathSet | undefined;

  constructor(form: RuleForm) {
    this.#verbs = oneOfOrAll(form.verbs ?? []);
    this.#groups = oneOfOrAll(form.apiGroups ?? []);
    this.#resources = oneOfOrAll(form.resources ?? []);
    this.#names = form.resourceNames?.length ? oneOf(form.resourceNames) : undefined;
    this.#paths = form.nonResourceURLs?.length ? new PathSet(form.nonResourceURLs) : undefined;
  }

  /** Whether the rule is for paths. */
  get hasPaths(): boolean {
    return this.#paths !== undefined;
  }

  /** Whether the rule has no resourceNames. */
  get isForAll(): boolean {
    return this.#names === undefined;
  }

  /** Whether the rule is for an object of a name; a request without a name has the empty one (RBAC-28). */
  isForName(name: string): boolean {
    return this.#names === undefined || this.#names(name);
  }

  /**
   * Whether the rule allows a request on some object of a resource (RBAC-25..27).
   *
   * @param resource the {@link wholeResource} of the request
   */
  allowsSome({ verb, group, subresource }: RequestInfo, resource: string): boolean {
    if (!this.#verbs(verb) || !this.#groups(group)) return false;
    return this.#resources(resource) || (subresource !== "" && this.#resources(`${ALL}/${subresource}`));
  }

  /** Whether the rule allows a request of a path. */
  allowsPath({ verb, path }: RequestInfo): boolean {
    return this.#paths !== undefined && this.#verbs(verb) && this.#paths.has(path);
  }
}

/** The paths of a rule; one with `*` at its end matches by prefix (RBAC-30). */
export class PathSet {
  readonly #exact: OneOf;
  readonly #prefixes: readonly string[];

  constructor(paths: readonly string[]) {
    this.#exact = oneOf(paths);
    const prefixes = paths.filter((path) => path.endsWith(ALL)).map((path) => withoutTrailing(path, ALL));
    this.#prefixes = prefixes.includes("") ? [""] : [...new Set(prefixes)];
  }

  has(path: string): boolean {
    return this.#exact(path) || this.#prefixes.some((prefix) => path.startsWith(prefix));
  }
}
