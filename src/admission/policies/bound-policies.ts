/**
 * The policies of one sort that have bindings, in the state that a request must see.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { compareTexts } from "../../cel/values.ts";
import { FollowedState } from "../rules/followed-state.ts";
import { type Matcher, compileMatching } from "../rules/matcher.ts";
import { RuleIndex } from "../rules/rule-index.ts";
import type { BindingSpec } from "./contract.ts";
import { SHADOW_ANNOTATION } from "./shadow.ts";

/** A binding, compiled. */
export interface Binding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** Undefined where the binding applies to all requests of its policy. */
  readonly matcher: Matcher | undefined;
  /** Whether it is only evaluated and counted, and neither refuses nor changes anything. */
  readonly isShadow: boolean;
}

/** A policy with its bindings, both in the order of their names. */
export interface BoundPolicy<P> {
  readonly policy: P;
  readonly matcher: Matcher;
  readonly bindings: readonly Binding[];
}

/** A compiled policy of either sort. */
export interface NamedPolicy {
  readonly name: string;
  readonly matcher: Matcher;
}

type Index<P> = RuleIndex<BoundPolicy<P>>;

/** Where policies and their bindings are stored, and how a policy is compiled. */
export interface PolicySource<P> {
  /** `plural.group` of the policies, and of the bindings. */
  readonly policies: string;
  readonly bindings: string;
  readonly read: (object: ApiObject) => P | undefined;
}

/** The policies of one sort with their bindings. */
export class BoundPolicies<P extends NamedPolicy> {
  readonly #policies: FollowedState<P, readonly P[]>;
  readonly #bindings: FollowedState<Binding, ReadonlyMap<string, readonly Binding[]>>;
  /** The index of the latest states. */
  #last: { readonly policies: readonly P[]; readonly bindings: object; readonly index: Index<P> } | undefined;

  constructor(lookup: Lookup, { policies, bindings, read }: PolicySource<P>) {
    this.#policies = new FollowedState(lookup, { resource: policies, read: onceFor(read), build: sorted });
    this.#bindings = new FollowedState(lookup, { resource: bindings, read: onceFor(readBinding), build: byPolicy });
  }

  /** The index of the policies that have bindings; a promise where one of them has changed. */
  of(lookup: Lookup): Index<P> | Promise<Index<P>> {
    const policies = this.#policies.of(lookup);
    const bindings = this.#bindings.of(lookup);
    if (policies instanceof Promise || bindings instanceof Promise) {
      return Promise.all([policies, bindings]).then(([all, bound]) => this.#index(all, bound));
    }
    return this.#index(policies, bindings);
  }

  #index(policies: readonly P[], bindings: ReadonlyMap<string, readonly Binding[]>): Index<P> {
    if (this.#last?.policies === policies && this.#last.bindings === bindings) return this.#last.index;
    const bound = policies
      .map((policy) => ({ policy, matcher: policy.matcher, bindings: bindings.get(policy.name) ?? [] }))
      .filter((one) => one.bindings.length > 0);
    const index = new RuleIndex(bound);
    this.#last = { policies, bindings, index };
    return index;
  }
}

/** Reads each object once; planned objects are read again by each write that is evaluated. */
function onceFor<T>(read: (object: ApiObject) => T | undefined): (object: ApiObject) => T | undefined {
  const known = new WeakMap<ApiObject, { readonly value: T | undefined }>();
  return (object) => {
    let found = known.get(object);
    if (!found) known.set(object, (found = { value: read(object) }));
    return found.value;
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compareTexts(a.name, b.name);

const sorted = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] => items.toSorted(byName);

function readBinding({ metadata, spec }: ApiObject): Binding {
  const form = (spec ?? {}) as BindingSpec;
  return {
    name: metadata.name ?? "",
    spec: form,
    matcher: form.matchResources && compileMatching(withoutEmptyRules(form.matchResources)),
    isShadow: metadata.annotations?.[SHADOW_ANNOTATION] === "true",
  };
}

/** A binding without rules applies to all requests of its policy. */
function withoutEmptyRules(matching: NonNullable<BindingSpec["matchResources"]>): typeof matching {
  if (matching.resourceRules && matching.resourceRules.length > 0) return matching;
  return { ...matching, resourceRules: undefined };
}

function byPolicy(bindings: readonly Binding[]): ReadonlyMap<string, readonly Binding[]> {
  const found = new Map<string, Binding[]>();
  for (const binding of sorted(bindings)) {
    const name = binding.spec.policyName ?? "";
    const same = found.get(name);
    if (same) same.push(binding);
    else found.set(name, [binding]);
  }
  return found;
}
