/**
 * The step ValidatingAdmissionPolicy: applies the decisions of policies: refusals, warnings and audit annotations (POL-A-3..8).
 *
 * All policies are evaluated; of several refusals the first decides.
 *
 * @module
 */
import { ApiError, type StatusReason, forbidden } from "../../meta/status.ts";
import { inOrder, whenDone } from "../../util/when-done.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";
import { AuditAnnotations } from "./audit-annotations.ts";
import { Evaluation } from "./evaluation.ts";
import { type Enforcement, type PolicyMetrics, errorTypeOf } from "./policy-metrics.ts";
import type { Judged, Judgement } from "./judgement.ts";
import type { PolicyParts } from "./parts.ts";
import { PolicySelector } from "./policy-selector.ts";
import { reportOf } from "./report.ts";
import { type FaultyPolicy, type Invocation, type Selected, inputsOf } from "./selection.ts";
import { SHADOW_NOTE, type ShadowFinding, shadowNote } from "./shadow.ts";
import {
  type ValidatingPolicy,
  type ValidationDecision,
  type ValidationResult,
  evaluateValidations,
  readValidatingPolicy,
} from "./validation.ts";

/** The step ValidatingAdmissionPolicy. */
export function validatingAdmissionPolicy(parts: PolicyParts): AdmissionStep {
  const policies = new ValidatingPolicies(parts);
  return {
    name: "ValidatingAdmissionPolicy",
    connects: true,
    validate(request) {
      const judged = policies.judge(request);
      if (!judged) return undefined;
      const enforce = (all: readonly Judgement[] = []): void => {
        if (request.trace) for (const one of all) request.trace.tell(reportOf(one));
        new Enforcer(request, parts.policyMetrics).enforce(all);
      };
      return judged instanceof Promise ? judged.then(enforce) : enforce(judged);
    },
  };
}

/** Evaluates all policies for requests; its callers apply the decisions. */
export class ValidatingPolicies {
  readonly #parts: PolicyParts;
  readonly #selector: PolicySelector<ValidatingPolicy>;

  constructor(parts: PolicyParts) {
    this.#parts = parts;
    this.#selector = new PolicySelector(parts, "Validating", (object) =>
      readValidatingPolicy(object, { observe: parts.observePolicy?.(object) }),
    );
  }

  /** The decisions of the policies on a request; undefined where none concerns it. */
  judge(request: AdmissionRequest): readonly Judgement[] | undefined | Promise<readonly Judgement[] | undefined> {
    const selected = this.#selector.select(request);
    return selected instanceof Promise
      ? selected.then((all) => all && this.#evaluateAll(request, all))
      : selected && this.#evaluateAll(request, selected);
  }

  #evaluateAll(
    request: AdmissionRequest,
    selected: readonly Selected<ValidatingPolicy>[],
  ): readonly Judgement[] | Promise<readonly Judgement[]> {
    const judged: Judgement[] = [];
    const evaluation = new Evaluation(this.#parts);
    const pending = inOrder(selected, (one) => {
      if (one.fault !== undefined) return void judged.push(one);
      const result = this.#evaluate(request, one, evaluation);
      if (!(result instanceof Promise)) return void judged.push({ invocation: one, result });
      return result.then((done) => void judged.push({ invocation: one, result: done }));
    });
    return whenDone(pending, () => judged);
  }

  #evaluate(
    request: AdmissionRequest,
    invocation: Invocation<ValidatingPolicy>,
    evaluation: Evaluation,
  ): ValidationResult | Promise<ValidationResult> {
    const { policy } = invocation;
    return evaluation.run<ValidationResult>({
      inputs: (decide) => inputsOf(request, invocation, decide),
      steps: (inputs) => evaluateValidations(policy, inputs, this.#parts.clock),
      task: { policy: policy.source, what: "validations" },
    });
  }
}

/** A refusal by a policy. */
interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** Applies the decisions of policies on one request. */
class Enforcer {
  readonly #request: AdmissionRequest;
  readonly #metrics: PolicyMetrics;
  readonly #denials: Denial[] = [];
  readonly #shadows: ShadowFinding[] = [];
  readonly #annotations: AuditAnnotations;

  constructor(request: AdmissionRequest, metrics: PolicyMetrics) {
    this.#request = request;
    this.#metrics = metrics;
    this.#annotations = new AuditAnnotations(request);
  }

  /** Adds warnings and annotations, and counts. Throws the refusal of the first policy that refuses. */
  enforce(all: readonly Judgement[]): void {
    for (const one of all) {
      if (one.fault === undefined) this.#act(one);
      else this.#blame(one);
    }
    this.#annotations.write();
    const note = shadowNote(this.#shadows);
    if (note !== undefined) this.#request.note(SHADOW_NOTE, note);
    const [first] = this.#denials;
    if (first) throw refusalOf(this.#request, first);
  }

  #blame({ policy, binding, fault }: FaultyPolicy<ValidatingPolicy>): void {
    if (binding?.isShadow) return this.#shadow(policy.name, binding.name, "fail", fault);
    if (!policy.ignoresFailures) this.#denials.push({ policy: policy.name, binding: binding?.name, message: fault });
  }

  #act({ invocation: { policy, binding }, result }: Judged): void {
    for (const [index, decision] of result.decisions.entries()) {
      if (decision.result === "allowed") continue;
      const passes = decision.result === "failed" && policy.ignoresFailures;
      if (binding.isShadow) this.#count(policy.name, binding, decision);
      else if (passes) this.#observe(policy.name, binding.name, "allow", decision);
      else this.#carryOut(policy.name, binding, decision, index);
    }
    for (const { key, value, error, millis } of result.annotations) {
      if (value !== undefined && !binding.isShadow) this.#annotations.add(policy.name, key, value);
      if (error === undefined || policy.ignoresFailures) continue;
      const decision: ValidationDecision = { result: "failed", message: error, millis };
      if (binding.isShadow) this.#shadow(policy.name, binding.name, "fail", error);
      else this.#deny(policy.name, binding.name, decision);
    }
  }

  #carryOut(
    policy: string,
    { name, spec }: Invocation<unknown>["binding"],
    decision: ValidationDecision,
    index: number,
  ): void {
    const { validationActions = [] } = spec;
    for (const action of validationActions) {
      if (action === "Deny") this.#deny(policy, name, decision);
      if (action === "Audit") {
        this.#annotations.fail({
          message: decision.message,
          policy,
          binding: name,
          expressionIndex: index,
          validationActions,
        });
        this.#observe(policy, name, "audit", decision);
      }
      if (action !== "Warn") continue;
      const { message } = decision;
      this.#request.warnings.push(
        `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${message}`,
      );
      this.#observe(policy, name, "warn", decision);
    }
  }

  #deny(policy: string, binding: string, decision: ValidationDecision): void {
    this.#denials.push({ policy, binding, message: decision.message, reason: decision.reason });
    this.#observe(policy, binding, "deny", decision);
  }

  #observe(policy: string, binding: string, action: Enforcement, { message, millis }: ValidationDecision): void {
    this.#metrics.validated({ policy, policy_binding: binding }, errorTypeOf(message), action, millis);
  }

  #count(
    policy: string,
    { name, spec }: Invocation<unknown>["binding"],
    { result, message }: ValidationDecision,
  ): void {
    const actions = spec.validationActions ?? [];
    const refused = actions.includes("Deny") ? "refuse" : actions.includes("Warn") ? "warn" : "audit";
    this.#shadow(policy, name, result === "failed" ? "fail" : refused, message);
  }

  #shadow(policy: string, binding: string, would: ShadowFinding["would"], message: string): void {
    this.#shadows.push({ policy, binding, would, message });
    this.#metrics.shadowed({ policy, policy_binding: binding }, would);
  }
}

const REASONS: ReadonlySet<string> = new Set(["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"]);

function refusalOf(
  { ref, shownName }: AdmissionRequest,
  { policy, binding, message, reason = "Invalid" }: Denial,
): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = forbidden(ref, shownName || "Unknown", why, [{ message: why }]);
  const known = (REASONS.has(reason) ? reason : "Invalid") as StatusReason;
  return new ApiError(known, status.message ?? "", { details: status.details ?? {} });
}
