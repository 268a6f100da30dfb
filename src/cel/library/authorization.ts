/**
 * Questions to the authorizer: who may do what (CEL-26). The functions are there for every expression; only some have a
 * variable to call them on.
 *
 * @module
 */
import { dnsLabel, dnsSubdomain } from "../../meta/names.ts";
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from "../../meta/selectors.ts";
import { add, exactly, type Range, times } from "../range.ts";
import { Failure, Opaque, type Value, sizeOf } from "../values.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { NEW_LIST, ONE, WALK } from "./costs.ts";

/** Who asks. */
export interface Asker {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What may be done to what, by name. */
export interface AskedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined where none was given, or one that cannot be read. */
  readonly fieldSelector?: FieldSelector | undefined;
  readonly labelSelector?: LabelSelector | undefined;
}

/** A question: may this user do this to that, a resource or a path. */
export type Asked = { readonly user: Asker; readonly verb: string } & (
  | { readonly path: string; readonly resource?: undefined }
  | { readonly resource: AskedResource; readonly path?: undefined }
);

/** What the authorizer says. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  /** What went wrong while it was asked. */
  readonly error?: string | undefined;
}

/** Decides; it is asked while an expression runs, so it answers at once. */
export type Decide = (asked: Asked) => Verdict;

const PREFIX = "kubernetes.authorization.";

/** A value that has nothing but functions; two are never equal. */
abstract class Receiver extends Opaque {
  /** There is no way to write one. */
  readonly text = "";

  equals(): boolean {
    return false;
  }
}

/** The authorizer, for one user. */
export class Authorizer extends Receiver {
  readonly typeName: string = `${PREFIX}Authorizer`;
  readonly user: Asker;
  readonly decide: Decide;

  constructor(user: Asker, decide: Decide) {
    super();
    this.user = user;
    this.decide = decide;
  }
}

class PathCheck extends Receiver {
  readonly typeName: string = `${PREFIX}PathCheck`;
  readonly of: Authorizer;
  readonly path: string;

  constructor(of: Authorizer, path: string) {
    super();
    this.of = of;
    this.path = path;
  }
}

class GroupCheck extends Receiver {
  readonly typeName: string = `${PREFIX}GroupCheck`;
  readonly of: Authorizer;
  readonly group: string;

  constructor(of: Authorizer, group: string) {
    super();
    this.of = of;
    this.group = group;
  }
}

/** What of a resource is asked for; selectors as they were written. */
type Parts = Omit<AskedResource, "fieldSelector" | "labelSelector"> & {
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
};

/** A question about a resource, not asked yet. */
export class ResourceCheck extends Receiver {
  readonly typeName: string = `${PREFIX}ResourceCheck`;
  readonly of: Authorizer;
  readonly parts: Parts;

  constructor(of: Authorizer, parts: Parts) {
    super();
    this.of = of;
    this.parts = parts;
  }

  with(part: Partial<Parts>): ResourceCheck {
    return new ResourceCheck(this.of, { ...this.parts, ...part });
  }
}

class Decision extends Receiver {
  readonly typeName: string = `${PREFIX}Decision`;
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super();
    this.verdict = verdict;
  }
}

/** What a text selects; undefined for none, and for one that cannot be read: then nothing is asked of it. */
function selectorOf<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function askResource({ of, parts }: ResourceCheck, verb: string): Decision {
  const fieldSelector = selectorOf(parts.fieldSelector, parseFieldSelector);
  const labelSelector = selectorOf(parts.labelSelector, parseLabelSelector);
  return new Decision(of.decide({ user: of.user, verb, resource: { ...parts, fieldSelector, labelSelector } }));
}

const askPath = ({ of, path }: PathCheck, verb: string): Decision =>
  new Decision(of.decide({ user: of.user, verb, path }));

/** The authorizer for a service account instead. */
function asServiceAccount({ decide }: Authorizer, namespace: string, name: string): Value {
  if (dnsSubdomain(name) !== undefined) return new Failure("Invalid service account name");
  if (dnsLabel(namespace) !== undefined) return new Failure("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return new Authorizer({ username: `system:serviceaccount:${namespace}:${name}`, groups }, decide);
}

const resourceOf = ({ of, group }: GroupCheck, resource: string): Value =>
  resource.trim() === ""
    ? new Failure("resource must not be empty")
    : new ResourceCheck(of, { group, resource, subresource: "", namespace: "", name: "" });

const pathOf = (of: Authorizer, path: string): Value =>
  path.trim() === "" ? new Failure("path must not be empty") : new PathCheck(of, path);

/** What it costs to ask: two questions fit into one expression. */
const QUESTION = 350_000;
const ASK: Cost = { byName: true, estimate: () => ({ cost: exactly(QUESTION) }), spend: () => QUESTION };

/** A requirement is a list and a struct; a text of two characters may be one. */
const REQUIREMENT = NEW_LIST + 40;
const selecting = (size: Range): Range =>
  add(add(exactly(NEW_LIST), times(size, WALK)), times(times(size, 0.5), REQUIREMENT));
const SELECT: Cost = {
  estimate: (at, _target, args) => ({ cost: selecting(at.size(args[0]!)) }),
  spend: ([, text]) => Number(selecting(exactly(sizeOf(text!))).max),
};

const part = (name: keyof Parts, cost: Cost): Overload =>
  fn(
    `ResourceCheck.${name}(string): ResourceCheck`,
    (check: ResourceCheck, text: string) => check.with({ [name]: text }),
    cost,
  );

export const AUTHORIZATION: readonly Overload[] = [
  fn("Authorizer.path(string): PathCheck", pathOf, ONE),
  fn("Authorizer.group(string): GroupCheck", (of: Authorizer, group: string) => new GroupCheck(of, group), ONE),
  fn("Authorizer.serviceAccount(string, string): Authorizer", asServiceAccount, ONE),
  fn("GroupCheck.resource(string): ResourceCheck", resourceOf, ONE),
  part("subresource", ONE),
  part("namespace", ONE),
  part("name", ONE),
  part("fieldSelector", SELECT),
  part("labelSelector", SELECT),
  fn("PathCheck.check(string): Decision", askPath, ASK),
  fn("ResourceCheck.check(string): Decision", askResource, ASK),
  fn("Decision.errored(): bool", ({ verdict }: Decision) => verdict.error !== undefined, ONE),
  fn("Decision.error(): string", ({ verdict }: Decision) => verdict.error ?? "", ONE),
  fn("Decision.allowed(): bool", ({ verdict }: Decision) => verdict.allowed, ONE),
  fn("Decision.reason(): string", ({ verdict }: Decision) => verdict.reason, ONE),
];
