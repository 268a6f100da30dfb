/**
 * Selects the policies for a request, with their bindings and params.
 *
 * @module
 */
import type { Inputs } from "../../cel/environments/admission.ts";
import type { Decide } from "../../cel/library/authorization.ts";
import { notFound } from "../../meta/status.ts";
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { messageOf } from "../../util/error.ts";
import { inOrder, whenDone } from "../../util/when-done.ts";
import type { Value } from "../../value/value.ts";
import { type AdmissionRequest, concerns } from "../contract.ts";
import type { MatchedResource } from "../rules/contract.ts";
import { NAMESPACES, asMatched } from "../rules/request.ts";
import { requestVariable } from "../rules/request-variable.ts";
import type { Binding, BoundPolicy, NamedPolicy } from "./bound-policies.ts";
import { ConfigurationFault, type ParamKind, type StoredKind } from "./contract.ts";
import type { Param, Params } from "./params.ts";

/** A policy that may have params. */
export interface SelectablePolicy extends NamedPolicy {
  readonly paramKind: ParamKind | undefined;
}

/** One evaluation of a policy: by a binding, with one of its params. */
export interface Invocation<P> {
  readonly policy: P;
  readonly binding: Binding;
  readonly matched: MatchedResource;
  /** The request in the version that the rule names. */
  readonly shown: AdmissionRequest;
  readonly param: Param;
  readonly fault?: undefined;
}

/** A policy, or a binding of it, that cannot be evaluated as it is configured. */
export interface FaultyPolicy<P> {
  readonly policy: P;
  readonly binding: Binding | undefined;
  readonly fault: string;
}

/** The evaluations of a request, in order. */
export type Selected<P> = Invocation<P> | FaultyPolicy<P>;

/** Records why a candidate, or one of its bindings, does not match; undefined where no caller needs that. */
export type RecordMismatch = ((policy: string, binding: string | undefined, why: string) => void) | undefined;

/** Selects the evaluations of a request among its candidates; a promise only where params or another version must be read. */
export function select<P extends SelectablePolicy>(
  request: AdmissionRequest,
  candidates: readonly BoundPolicy<P>[],
  params: Params,
  mismatch: RecordMismatch,
): readonly Selected<P>[] | Promise<readonly Selected<P>[]> {
  const selection = new Selection<P>(request, params, mismatch);
  const pending = inOrder(candidates, (candidate) => selection.add(candidate));
  return whenDone(pending, () => selection.found);
}

class Selection<P extends SelectablePolicy> {
  readonly found: Selected<P>[] = [];
  readonly #request: AdmissionRequest;
  readonly #params: Params;
  readonly #mismatch: RecordMismatch;

  constructor(request: AdmissionRequest, params: Params, mismatch: RecordMismatch) {
    this.#request = request;
    this.#params = params;
    this.#mismatch = mismatch;
  }

  add({ policy, matcher, bindings }: BoundPolicy<P>): Promise<void> | undefined {
    const { matched, mismatch } = matcher.decide(this.#request);
    if (!matched) return this.#skip(policy.name, undefined, mismatch);
    const kind = attempt(() => policy.paramKind && this.#params.kindOf(policy.paramKind));
    if (kind instanceof ConfigurationFault) return this.#fail(policy, undefined, kind.message);
    return inOrder(bindings, (binding) => this.#addBinding(policy, binding, matched, kind));
  }

  #addBinding(
    policy: P,
    binding: Binding,
    matched: MatchedResource,
    kind: StoredKind | undefined,
  ): Promise<void> | undefined {
    const mismatch = binding.matcher?.decide(this.#request).mismatch;
    if (mismatch !== undefined) return this.#skip(policy.name, binding.name, mismatch);
    const found = attempt(() => this.#params.of(this.#request, kind, binding.spec.paramRef));
    if (found instanceof ConfigurationFault) return this.#fail(policy, binding, found.message);
    const next = (params: readonly Param[]): Promise<void> | undefined =>
      params.length === 0
        ? this.#skip(policy.name, binding.name, "no params were found")
        : this.#addInvocations(policy, binding, matched, params);
    if (!(found instanceof Promise)) return next(found);
    return found.then(next, (error: unknown) => {
      if (!(error instanceof ConfigurationFault)) throw error;
      this.#fail(policy, binding, error.message);
    });
  }

  #addInvocations(
    policy: P,
    binding: Binding,
    matched: MatchedResource,
    params: readonly Param[],
  ): Promise<void> | undefined {
    const add = (shown: AdmissionRequest): void => {
      for (const param of params) this.found.push({ policy, binding, matched, shown, param });
    };
    const shown = asMatched(this.#request, matched);
    if (!(shown instanceof Promise)) {
      add(shown);
      return undefined;
    }
    return shown.then(add, (error: unknown) => {
      this.#fail(policy, binding, `failed to convert object version: ${messageOf(error)}`);
    });
  }

  #skip(policy: string, binding: string | undefined, why: string): undefined {
    this.#mismatch?.(policy, binding, why);
  }

  #fail(policy: P, binding: Binding | undefined, why: string): undefined {
    const fault = `failed to configure ${binding ? "binding" : "policy"}: ${why}`;
    this.found.push({ policy, binding, fault });
  }
}

/** The result of some work, or the fault that it threw. */
function attempt<T>(work: () => T): T | ConfigurationFault {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigurationFault) return error;
    throw error;
  }
}

type Evaluated = Pick<Invocation<unknown>, "matched" | "shown" | "param">;

/** The variables of an invocation; the request and the namespace are read when an expression uses them. */
class InvocationInputs implements Inputs {
  readonly object: Inputs["object"];
  readonly oldObject: Inputs["oldObject"];
  readonly params: Value;
  readonly decide: Decide;
  readonly #request: AdmissionRequest;
  readonly #invocation: Evaluated;
  #variable: Inputs["request"] | undefined = undefined;

  constructor(request: AdmissionRequest, invocation: Evaluated, decide: Decide, object: ApiObject | undefined) {
    const { shown, param } = invocation;
    this.object = object ? asValue(object) : null;
    this.oldObject = shown.old ? asValue(shown.old) : null;
    this.params = param && asValue(param);
    this.decide = decide;
    this.#request = request;
    this.#invocation = invocation;
  }

  get request(): Inputs["request"] {
    return (this.#variable ??= requestVariable(this.#request, this.#invocation.matched));
  }

  get namespaceObject(): Inputs["namespaceObject"] {
    return namespaceObjectOf(this.#request);
  }
}

/**
 * The variables of the expressions of an invocation.
 *
 * @param object the object, where it is not that of the request
 */
export const inputsOf = (
  request: AdmissionRequest,
  invocation: Evaluated,
  decide: Decide,
  object: ApiObject | undefined = invocation.shown.object,
): Inputs => new InvocationInputs(request, invocation, decide, object);

/** The namespace of the object; null for objects of the cluster, and for a Namespace itself. Throws 404 for a deleted one. */
function namespaceObjectOf(request: AdmissionRequest): Inputs["namespaceObject"] {
  const { namespace, lookup } = request;
  if (namespace === "" || concerns(request, NAMESPACES)) return null;
  const found: ApiObject | undefined = lookup.get("namespaces", "", namespace);
  if (!found) throw notFound({ ...NAMESPACES, kind: "Namespace" }, namespace);
  return asValue(found);
}
