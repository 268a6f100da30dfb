/**
 * One rule of a role, and what it allows (RBAC-24..31).
 *
 * A rule is read once and then asked often; a long list in it becomes a set, so that no question takes longer for it.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";

/** A rule as it stands in a role; nothing is sure to be there. */
export interface RuleForm {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

/** What stands for every verb, every group, every resource, and at its end for every path that begins so. */
export const ALL = "*";

/** Up to how many texts are compared one after another; more of them are looked up. */
const FEW = 8;

/** Says whether a text is one of a list. */
export type OneOf = (text: string) => boolean;

/** Says whether a text is one of a list, in a time that does not depend on how long that is. */
export function oneOf(list: readonly string[]): OneOf {
  if (list.length > FEW) {
    const set = new Set(list);
    return (text) => set.has(text);
  }
  return (text) => list.includes(text);
}

/** Every text is one. */
const anything: OneOf = () => true;

/** As {@link oneOf}; where one of the list is `*`, every text is. */
export const oneOfOrAll = (list: readonly string[]): OneOf => (list.includes(ALL) ? anything : oneOf(list));

/** The resource of a question with its subresource, as rules write them. */
export const wholeResource = ({ resource, subresource }: Pick<RequestInfo, "resource" | "subresource">): string =>
  subresource === "" ? resource : `${resource}/${subresource}`;

/** A rule that can be asked. */
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

  /** Whether it says anything of paths. */
  get hasPaths(): boolean {
    return this.#paths !== undefined;
  }

  /** Whether it holds whatever the name is. */
  get isForAll(): boolean {
    return this.#names === undefined;
  }

  /** Whether it holds for an object of a name, and for none where that is empty (RBAC-28). */
  isForName(name: string): boolean {
    return this.#names === undefined || this.#names(name);
  }

  /**
   * Whether it allows what is asked of some object of a resource (RBAC-25..27).
   *
   * @param resource the {@link wholeResource} of the question
   */
  allowsSome({ verb, group, subresource }: RequestInfo, resource: string): boolean {
    if (!this.#verbs(verb) || !this.#groups(group)) return false;
    return this.#resources(resource) || (subresource !== "" && this.#resources(`${ALL}/${subresource}`));
  }

  /** Whether it allows what is asked of a path. */
  allowsPath({ verb, path }: RequestInfo): boolean {
    return this.#paths !== undefined && this.#verbs(verb) && this.#paths.has(path);
  }
}

/** Paths of rules: each is itself, and with `*` at its end all that begin with what is before (RBAC-30). */
export class PathSet {
  readonly #exact: OneOf;
  readonly #beginnings: readonly string[];

  constructor(paths: readonly string[]) {
    this.#exact = oneOf(paths);
    const beginnings = paths.filter((path) => path.endsWith(ALL)).map(withoutStars);
    this.#beginnings = beginnings.includes("") ? [""] : [...new Set(beginnings)];
  }

  has(path: string): boolean {
    return this.#exact(path) || this.#beginnings.some((beginning) => path.startsWith(beginning));
  }
}

function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === ALL) end--;
  return path.slice(0, end);
}
