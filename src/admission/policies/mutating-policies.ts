/**
 * The step MutatingAdmissionPolicy: changes objects as policies say (POL-A-21..25).
 * Policies run in the order of their names, mutations of one in their order; each sees the changes of those before it. When one of them has
 * changed the object, policies with the reinvocation policy IfNeeded that ran before it run once more, in the second run of all steps.
 *
 * @module
 */
import type { Inputs } from "../../cel/environments/admission.ts";
import { ApiError, forbidden } from "../../meta/status.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { messageOf } from "../../util/error.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { inOrder, whenDone, whenKnown } from "../../util/when-done.ts";
import { type Value as Json, clone, equal } from "../../value/value.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";
import type { ConditionsResult } from "../rules/conditions.ts";
import { withoutNamespace } from "./compiled-policy.ts";
import { Evaluation } from "./evaluation.ts";
import {
  type CompiledMutation,
  type MutatingPolicy,
  MutationFault,
  madeBy,
  mutated,
  readMutatingPolicy,
} from "./mutation.ts";
import type { PolicyParts } from "./parts.ts";
import { NO_ERROR, errorTypeOf } from "./policy-metrics.ts";
import { PolicySelector } from "./policy-selector.ts";
import { type MutationOutcome, reportOfFault, reportOfMutation } from "./report.ts";
import { Reinvocations } from "./reinvocations.ts";
import { type Invocation, type Selected, inputsOf } from "./selection.ts";
import { SHADOW_NOTE, type ShadowFinding, shadowNote } from "./shadow.ts";

/** The step MutatingAdmissionPolicy. */
export function mutatingAdmissionPolicy(parts: PolicyParts): AdmissionStep {
  const policies = new MutatingPolicies(parts);
  return {
    name: "MutatingAdmissionPolicy",
    connects: true,
    mutate: (request) => (request.object ? policies.mutate(request) : undefined),
  };
}

/** Applies all matching policies to requests. */
class MutatingPolicies {
  readonly #parts: PolicyParts;
  readonly #selector: PolicySelector<MutatingPolicy>;
  readonly #reinvocations = new WeakMap<AdmissionRequest, Reinvocations>();

  constructor(parts: PolicyParts) {
    this.#parts = parts;
    this.#selector = new PolicySelector(parts, "Mutating", (object) =>
      readMutatingPolicy(object, { observe: parts.observePolicy?.(object) }),
    );
  }

  mutate(request: AdmissionRequest): void | Promise<void> {
    const selected = this.#selector.select(request);
    return selected instanceof Promise
      ? selected.then((all) => this.#mutateAll(request, all))
      : this.#mutateAll(request, selected);
  }

  #mutateAll(request: AdmissionRequest, selected: readonly Selected<MutatingPolicy>[] = []): void | Promise<void> {
    if (selected.length === 0) return undefined;
    let reinvocations = this.#reinvocations.get(request);
    if (!reinvocations) this.#reinvocations.set(request, (reinvocations = new Reinvocations()));
    reinvocations.begin(request.object);
    const run = new MutationRun(this.#parts, request, reinvocations);
    const pending = inOrder(selected, (one) => run.add(one));
    return whenDone(pending, () => run.end());
  }
}

/** A refusal of a policy that could not change the object. */
interface MutationFailure {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  /** Whether it is a fault of the configuration: those have no reason of their own and come first. */
  readonly isFault: boolean;
}

/** One run of the policies over one request. */
class MutationRun {
  readonly #parts: PolicyParts;
  readonly #request: AdmissionRequest;
  readonly #reinvocations: Reinvocations;
  readonly #evaluation: Evaluation;
  readonly #failures: MutationFailure[] = [];
  readonly #shadows: ShadowFinding[] = [];
  /** The cost of all mutations. */
  #cost = 0;

  constructor(parts: PolicyParts, request: AdmissionRequest, reinvocations: Reinvocations) {
    this.#parts = parts;
    this.#request = request;
    this.#reinvocations = reinvocations;
    this.#evaluation = new Evaluation(parts);
  }

  /** Runs the mutations of one policy, or keeps the fault of its configuration. */
  add(one: Selected<MutatingPolicy>): Promise<void> | undefined {
    if (one.fault === undefined) return this.#invoke(one);
    const { policy, binding, fault } = one;
    this.#request.trace?.tell(reportOfFault("Mutating", one));
    if (binding?.isShadow) this.#shadow(policy.name, binding.name, "fail", fault);
    else this.#fail(one, fault, true);
    return undefined;
  }

  /** Ends the run. Throws where a policy has failed. */
  end(): void {
    this.#reinvocations.end(this.#request.object);
    const note = shadowNote(this.#shadows);
    if (note !== undefined) this.#request.note(SHADOW_NOTE, note);
    if (this.#failures.length > 0) throw refusalOf(this.#request, this.#failures);
  }

  #invoke(invocation: Invocation<MutatingPolicy>): Promise<void> | undefined {
    const met = this.#meets(invocation);
    return asPending(whenKnown(met, (meets) => (meets ? this.#mutate(invocation) : undefined)));
  }

  /** Whether the match conditions are true; their failure is kept. */
  #meets(invocation: Invocation<MutatingPolicy>): boolean | Promise<boolean> {
    const { policy } = invocation;
    if (!policy.hasConditions) return true;
    const met = this.#evaluation.run<ConditionsResult>({
      inputs: (decide) => withoutNamespace(inputsOf(this.#request, invocation, decide)),
      *steps(inputs) {
        const { conditions } = yield* policy.compiled();
        return yield* conditions.steps(inputs);
      },
      task: { policy: policy.source, what: "conditions" },
    });
    return whenKnown(met, (result) => {
      if (result.holds === undefined) this.#failOrShadow(invocation, result.error);
      return result.holds === true;
    });
  }

  #mutate(invocation: Invocation<MutatingPolicy>): Promise<void> | undefined {
    const { policy, binding, shown, param } = invocation;
    const key = [policy.name, binding.name, param?.metadata.namespace ?? "", param?.metadata.name ?? ""].join("/");
    if (!this.#reinvocations.mayRun(key)) return undefined;
    const { patchTypes, isReinvoked } = policy;
    const mutations = patchTypes.map((patchType, index): PlacedMutation => ({ patchType, index }));
    // A shadow changes a copy.
    const target: Target = binding.isShadow
      ? new ShadowTarget(shown)
      : { object: shown.object, replace: (value) => shown.replace(value) };
    const before = target.object && copyOf(target.object);
    const began = this.#parts.clock.steady();
    const costBefore = this.#cost;
    const pending = inOrder(mutations, (mutation) => this.#apply(invocation, mutation, target));
    return asPending(
      whenDone(pending, () => {
        const hasChanged = !equal(before, target.object);
        const millis = this.#parts.clock.steady() - began;
        this.#tell(invocation, { millis, cost: this.#cost - costBefore }, before, target.object);
        if (binding.isShadow) {
          if (hasChanged) this.#shadow(policy.name, binding.name, "change");
          return;
        }
        if (hasChanged) this.#request.reinvoke();
        this.#reinvocations.ran(key, { hasChanged, isReinvoked });
      }),
    );
  }

  /** Runs one mutation; a failure does not stop the next one. */
  #apply(invocation: Invocation<MutatingPolicy>, mutation: PlacedMutation, target: Target): Promise<void> | undefined {
    const { policy, binding } = invocation;
    const { clock } = this.#parts;
    const began = clock.steady();
    const names = { policy: policy.name, policy_binding: binding.name };
    const observe = (errorType: string): void =>
      binding.isShadow ? undefined : this.#parts.policyMetrics.mutated(names, errorType, clock.steady() - began);
    const failed = (error: unknown): void => {
      observe(errorTypeOf(messageOf(error)));
      if (!(error instanceof MutationFault)) throw error;
      this.#failOrShadow(invocation, error.message);
    };
    const done = attempt(() => this.#change(invocation, mutation, target), failed);
    if (done instanceof Promise) return done.then(() => observe(NO_ERROR), failed);
    if (done) observe(NO_ERROR);
    return undefined;
  }

  /** Changes the target. Throws or rejects with {@link MutationFault}, or with an ApiError that ends the request. */
  #change(invocation: Invocation<MutatingPolicy>, mutation: PlacedMutation, target: Target): true | Promise<unknown> {
    const { object } = target;
    if (!object) return true;
    const { policyKinds, clock } = this.#parts;
    const evaluated = this.#evaluation.run<Json>({
      inputs: (decide) => inputsOf(this.#request, invocation, decide, object),
      steps: (inputs) => this.#counted(invocation.policy, mutation, inputs),
      task: { policy: invocation.policy.source, what: "mutation", index: mutation.index },
    });
    const made = whenKnown(evaluated, (json) => {
      const { shown } = invocation;
      // The options of a connection have no type for a merge.
      const type = shown.operation === "CONNECT" ? undefined : policyKinds.typeOf(shown);
      const steps = mutated(mutation, json, asValue(object), type);
      return inSlices(steps, clock.loop.slice());
    });
    const put = (value: Awaited<typeof made>): true | Promise<unknown> => {
      if (value === asValue(object)) return true;
      const replaced = attempt(
        () => target.replace(clone(value)),
        (error) => unfit(mutation, error),
      );
      return replaced instanceof Promise ? replaced.catch((error: unknown) => unfit(mutation, error)) : true;
    };
    return made instanceof Promise ? made.then(put) : put(made);
  }

  /** Makes the value of a mutation, in one step; counts its cost. */
  *#counted(policy: MutatingPolicy, { index }: PlacedMutation, inputs: Inputs): Steps<Json> {
    const { expressions, bind } = yield* policy.compiled();
    const bound = bind(inputs);
    try {
      return madeBy(expressions[index]!, bound);
    } finally {
      this.#cost += bound.spent;
    }
  }

  #tell(
    { policy, binding }: Invocation<MutatingPolicy>,
    outcome: Omit<MutationOutcome, "failure" | "changes">,
    before: ApiObject | undefined,
    after: ApiObject | undefined,
  ): void {
    const { trace } = this.#request;
    if (!trace) return;
    const changes = trace.changes(before, after);
    const failure = this.#failures.find((one) => one.policy === policy.name && one.binding === binding.name);
    trace.tell(reportOfMutation({ policy, binding }, { ...outcome, changes, failure: failure?.message }));
  }

  #failOrShadow(invocation: Invocation<MutatingPolicy>, message: string): void {
    const { policy, binding } = invocation;
    if (binding.isShadow) this.#shadow(policy.name, binding.name, "fail", message);
    else this.#fail(invocation, message, false);
  }

  #fail(
    { policy, binding }: Pick<Selected<MutatingPolicy>, "policy" | "binding">,
    message: string,
    isFault: boolean,
  ): void {
    if (policy.ignoresFailures) return;
    this.#failures.push({ policy: policy.name, binding: binding?.name, message, isFault });
  }

  #shadow(policy: string, binding: string, would: ShadowFinding["would"], message?: string): void {
    this.#shadows.push({ policy, binding, would, ...(message === undefined ? {} : { message }) });
    this.#parts.policyMetrics.shadowed({ policy, policy_binding: binding }, would);
  }
}

/** A mutation of a policy, by its index. */
interface PlacedMutation extends Pick<CompiledMutation, "patchType"> {
  readonly index: number;
}

/** The target of mutations. */
interface Target {
  readonly object: ApiObject | undefined;
  replace(value: Parameters<AdmissionRequest["replace"]>[0]): void | Promise<void>;
}

/** A copy of the object of a request. */
class ShadowTarget implements Target {
  object: ApiObject | undefined;

  constructor({ object }: AdmissionRequest) {
    this.object = object && copyOf(object);
  }

  replace(value: Parameters<Target["replace"]>[0]): void {
    this.object = value as unknown as ApiObject;
  }
}

/** A value of a wrong type is a failure of the policy; a JSON patch with such a result ends the request (POL-A-23). */
function unfit({ patchType }: PlacedMutation, error: unknown): never {
  const message = messageOf(error);
  if (patchType !== "JSONPatch") throw new MutationFault(message);
  throw new ApiError("InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    ofObject: true,
  });
}

/** The result of some work, or of the handler of its error. */
function attempt<T>(work: () => T, failed: (error: unknown) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    failed(error);
    return undefined;
  }
}

const asPending = (done: void | Promise<void>): Promise<void> | undefined =>
  done instanceof Promise ? done : undefined;

/** 403 with the reason Invalid; all failures are its causes, and the first one is its message. */
function refusalOf({ ref, shownName }: AdmissionRequest, failures: readonly MutationFailure[]): ApiError {
  const sorted = [...failures.filter(({ isFault }) => isFault), ...failures.filter(({ isFault }) => !isFault)];
  const causes = sorted.map(({ policy, binding, message }) => {
    const by =
      binding === undefined ? `policy ${JSON.stringify(policy)}` : `policy '${policy}' with binding '${binding}'`;
    return { message: `${by} denied request: ${message}` };
  });
  const { details = {} } = forbidden(ref, shownName || "Unknown", "", causes).status;
  const reason = sorted[0]?.isFault ? "Forbidden" : "Invalid";
  return new ApiError(reason, causes[0]?.message ?? "", { details, chosen: { code: 403 } });
}
