/**
 * The authorizer library (CEL-26). All expressions have its functions; some have a variable of the type Authorizer.
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

/** The user of an authorization check. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The resource of an authorization check. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined where there is none, or an invalid one. */
  readonly fieldSelector?: FieldSelector | undefined;
  readonly labelSelector?: LabelSelector | undefined;
}

/** An authorization check of a user, for a resource or a path. */
export type AccessRequest = { readonly user: UserInfo; readonly verb: string } & (
  | { readonly path: string; readonly resource?: undefined }
  | { readonly resource: ResourceAttributes; readonly path?: undefined }
);

/** The decision of the authorizer. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error of the check. */
  readonly error?: string | undefined;
}

/** Decides a check, synchronously, since an expression is running. */
export type Decide = (request: AccessRequest) => AccessDecision;

const PREFIX = "kubernetes.authorization.";

/** A value that only has functions; two are never equal. */
abstract class Receiver extends Opaque {
  /** There is no literal of it. */
  readonly text = "";

  equals(): boolean {
    return false;
  }
}

/** The authorizer, for one user. */
export class Authorizer extends Receiver {
  readonly typeName: string = `${PREFIX}Authorizer`;
  readonly user: UserInfo;
  readonly decide: Decide;

  constructor(user: UserInfo, decide: Decide) {
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

/** The parts of a check that are set so far; selectors as texts. */
type Parts = Omit<ResourceAttributes, "fieldSelector" | "labelSelector"> & {
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
};

/** A check of a resource that is being built. */
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
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }
}

/** Parses a selector; undefined for none, and for an invalid one. */
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

/** The authorizer of a service account. */
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

/** The cost of a check: two of them fit into one expression. */
const CHECK_COST = 350_000;
const CHECK: Cost = { byName: true, estimate: () => ({ cost: exactly(CHECK_COST) }), spend: () => CHECK_COST };

/** A requirement costs a list and a struct; it has at least two characters. */
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

export const AUTHORIZATION_FUNCTIONS: readonly Overload[] = [
  fn("Authorizer.path(string): PathCheck", pathOf, ONE),
  fn("Authorizer.group(string): GroupCheck", (of: Authorizer, group: string) => new GroupCheck(of, group), ONE),
  fn("Authorizer.serviceAccount(string, string): Authorizer", asServiceAccount, ONE),
  fn("GroupCheck.resource(string): ResourceCheck", resourceOf, ONE),
  part("subresource", ONE),
  part("namespace", ONE),
  part("name", ONE),
  part("fieldSelector", SELECT),
  part("labelSelector", SELECT),
  fn("PathCheck.check(string): Decision", askPath, CHECK),
  fn("ResourceCheck.check(string): Decision", askResource, CHECK),
  fn("Decision.errored(): bool", ({ decision }: Decision) => decision.error !== undefined, ONE),
  fn("Decision.error(): string", ({ decision }: Decision) => decision.error ?? "", ONE),
  fn("Decision.allowed(): bool", ({ decision }: Decision) => decision.allowed, ONE),
  fn("Decision.reason(): string", ({ decision }: Decision) => decision.reason, ONE),
];
