/**
 * One policy in a trial: evaluated as the steps of admission evaluate it, one write after another.
 *
 * @module
 */
import type { AdmissionRequest, AdmissionStep, AdmissionTrace } from "../admission/contract.ts";
import { mutatingAdmissionPolicy } from "../admission/policies/mutating-policies.ts";
import type { PolicyParts } from "../admission/policies/parts.ts";
import { PolicyMetrics } from "../admission/policies/policy-metrics.ts";
import { reportOf } from "../admission/policies/report.ts";
import { SHADOW_ANNOTATION } from "../admission/policies/shadow.ts";
import { ValidatingPolicies } from "../admission/policies/validating-policies.ts";
import type { Matching } from "../admission/rules/contract.ts";
import { type Matcher, compileMatching } from "../admission/rules/matcher.ts";
import type { Identity } from "../auth/contract.ts";
import type { ReportedRule } from "../meta/admission-report.ts";
import type { Kind } from "../registry/index.ts";
import { changesBetween } from "../meta/changes.ts";
import { asValue, copyOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { messageOf } from "../util/error.ts";
import { whenKnown } from "../util/when-done.ts";
import type { Judged, Triable, TrialParts, TrialSubject } from "./contract.ts";
import { type TrialDocument, type TriedPolicy, resourcesOfSort, specOf } from "./documents.ts";
import { Overlay } from "./overlay.ts";
import { type TriedWrite, requestOfTrial } from "./request.ts";

/** The identity of the user, and the parts of a trial. */
export interface TrialSettings {
  readonly identity: Identity;
  /** Objects that exist only in the trial. */
  readonly others: readonly TrialDocument[];
}

/** The parts of the steps of policies. */
export const policyPartsOf = ({ api, ...parts }: TrialParts, lookup: PolicyParts["lookup"]): PolicyParts => ({
  ...parts,
  lookup,
  dialect: api.dialect,
  clock: api.clock,
  policyMetrics: new PolicyMetrics(),
});

/** See the head of this file. */
export class PolicyTrial implements Triable {
  readonly subject: TrialSubject;
  readonly #parts: TrialParts;
  readonly #identity: Identity;
  readonly #lookup: Overlay;
  readonly #matcher: Matcher;
  readonly #judge: (write: TriedWrite) => Judged | Promise<Judged>;

  constructor(parts: TrialParts, tried: TriedPolicy, { identity, others }: TrialSettings) {
    const { policies, bindings } = resourcesOfSort(tried.sort);
    const own = [tried.policy, ...tried.bindings.map(withoutShadow)];
    this.subject = subjectOf(tried);
    this.#parts = parts;
    this.#identity = identity;
    this.#lookup = new Overlay(parts.lookup, [...own, ...others], new Set([policies, bindings]));
    this.#matcher = compileMatching(specOf(tried.policy.object)["matchConstraints"] as Matching);
    const policyParts = policyPartsOf(parts, this.#lookup);
    if (tried.sort === "Validating") {
      const validating = new ValidatingPolicies(policyParts);
      this.#judge = (write) => this.#validate(validating, write);
    } else {
      const step = mutatingAdmissionPolicy(policyParts);
      this.#judge = (write) => this.#mutate(step, write);
    }
  }

  isAbout(kind: Kind, operation: TriedWrite["operation"], subresource?: string): boolean {
    const write = { kind, operation, object: undefined, old: undefined, ...(subresource ? { subresource } : {}) };
    return this.#matcher.mayMatch(this.#request(write));
  }

  judge(write: TriedWrite): Judged | Promise<Judged> {
    return this.#judge(write);
  }

  #validate(validating: ValidatingPolicies, write: TriedWrite): Judged | Promise<Judged> {
    const judged = validating.judge(this.#request(write));
    return whenKnown(judged, (all) => all?.map(reportOf));
  }

  #mutate(step: AdmissionStep, write: TriedWrite): Judged | Promise<Judged> {
    if (!write.object) return undefined;
    const rules: ReportedRule[] = [];
    const request = this.#request({ ...write, object: copyOf(write.object) }, traceTo(rules));
    const failed = (error: unknown): Judged => [...rules, ...this.#unreported(rules, error)];
    try {
      const pending = step.mutate?.(request);
      return pending instanceof Promise ? pending.then(() => rules, failed) : rules;
    } catch (error) {
      return failed(error);
    }
  }

  /** The failure of a policy that has reported none, such as one of its match conditions. */
  #unreported(rules: readonly ReportedRule[], error: unknown): readonly ReportedRule[] {
    if (rules.some(({ result }) => result === "failed")) return [];
    const { name } = this.subject;
    return [{ source: name, name, matched: true, result: "failed", why: messageOf(error) }];
  }

  #request(write: TriedWrite, trace?: AdmissionTrace): AdmissionRequest {
    const { api } = this.#parts;
    return requestOfTrial(write, {
      api,
      lookup: this.#lookup,
      identity: this.#identity,
      ...(trace ? { trace } : {}),
    });
  }
}

function subjectOf({ policy, bindings }: TriedPolicy): TrialSubject {
  return {
    kind: policy.object.kind,
    name: policy.object.metadata.name ?? "",
    parts: bindings.map(({ object }) => object.metadata.name ?? ""),
    partOf: ({ source }) => source.slice(source.indexOf("/") + 1),
  };
}

/** Records the rules that steps report. */
export const traceTo = (rules: ReportedRule[]): AdmissionTrace => ({
  begin: () => undefined,
  step: async (_name, _phase, _request, work) => work(),
  tell: (rule) => void rules.push(rule),
  copy: (object) => object && copyOf(object),
  changes: (before, after) => (before && after ? changesBetween(asValue(before), asValue(after)) : []),
});

/** A trial shows the effect of a binding without its shadow annotation. */
function withoutShadow(document: TrialDocument): TrialDocument {
  const { [SHADOW_ANNOTATION]: _, ...annotations } = document.object.metadata.annotations ?? {};
  const object: ApiObject = { ...document.object, metadata: { ...document.object.metadata, annotations } };
  return { ...document, object };
}
