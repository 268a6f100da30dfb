/**
 * Runs one case: the mutating policies, then the validating ones, as admission does.
 *
 * @module
 */
import { Chain } from "../../admission/chain.ts";
import type { AdmissionRequest } from "../../admission/contract.ts";
import type { Judgement } from "../../admission/policies/judgement.ts";
import { mutatingAdmissionPolicy } from "../../admission/policies/mutating-policies.ts";
import type { PolicyParts } from "../../admission/policies/parts.ts";
import { ValidatingPolicies, validatingAdmissionPolicy } from "../../admission/policies/validating-policies.ts";
import type { ReportedRule } from "../../meta/admission-report.ts";
import { ApiError } from "../../meta/status.ts";
import { asObject, asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { Value } from "../../value/value.ts";
import type { TrialParts } from "../contract.ts";
import {
  type KindTable,
  type SourceValue,
  type TrialDocument,
  type TriedPolicy,
  decodeDocument,
  resourcesOfSort,
} from "../documents.ts";
import { Overlay } from "../overlay.ts";
import { policyPartsOf, traceTo } from "../policy-trial.ts";
import { type TriedWrite, requestOfTrial } from "../request.ts";
import type { PolicyCase } from "./suite.ts";

/** A validation that has failed. */
export interface FailedValidation {
  readonly policy: string;
  readonly message: string;
}

/** The result of a case. */
export interface CaseOutcome {
  /** The message of the refusal; undefined where the write was allowed. */
  readonly refusal: string | undefined;
  /** The policies that refused. */
  readonly refusedBy: readonly string[];
  /** Whether a policy was evaluated. */
  readonly isMatched: boolean;
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyMap<string, string>;
  /** The object after all mutations. */
  readonly object: Value | undefined;
  readonly violations: readonly FailedValidation[];
  readonly rules: readonly ReportedRule[];
}

/** The parts for running a case. */
export interface CaseParts {
  readonly parts: TrialParts;
  readonly table: KindTable;
  readonly policies: readonly TriedPolicy[];
  readonly others: readonly TrialDocument[];
}

/** Runs a case. Rejects with ApiError for an object that is not valid for its kind. */
export async function runCase(one: PolicyCase, given: CaseParts): Promise<CaseOutcome> {
  const { parts, table } = given;
  const rules: ReportedRule[] = [];
  const notes = new Map<string, string>();
  const write = writeOf(one, table, parts);
  const lookup = lookupOf(one, (write.object ?? write.old)?.metadata.namespace ?? "", given);
  const request = requestOfTrial(write, {
    api: parts.api,
    lookup,
    identity: one.user,
    trace: traceTo(rules),
    note: (key, value) => void (notes.has(key) || notes.set(key, value)),
  });
  const { refusal, judged } = await admit(request, policyPartsOf(parts, lookup), rules);
  return {
    refusal,
    refusedBy: refusal === undefined ? [] : rules.filter(refuses).map(({ name }) => name),
    isMatched: refusal !== undefined || rules.some(({ matched }) => matched),
    warnings: request.warnings,
    auditAnnotations: notes,
    object: request.object && asValue(request.object),
    violations: judged.flatMap(violationsOf),
    rules,
  };
}

/** The write of a case. */
function writeOf(one: PolicyCase, table: KindTable, { api }: TrialParts): TriedWrite {
  const decoded = (source: SourceValue | undefined): ApiObject | undefined =>
    source && decodeDocument(table.of(source), source.value, api);
  const { operation, subresource } = one;
  const kind = table.of((one.object ?? one.oldObject)!);
  return { kind, operation, subresource, object: decoded(one.object), old: decoded(one.oldObject) };
}

/** The stored objects, as a case sees them. */
function lookupOf(one: PolicyCase, namespace: string, { parts, table, policies, others }: CaseParts): Lookup {
  const isChosen = ({ policy }: TriedPolicy): boolean =>
    one.policy === undefined || policy.object.metadata.name === one.policy;
  const chosen = policies.filter(isChosen).flatMap(({ policy, bindings }) => [policy, ...bindings]);
  const params = one.params.map((source) => paramOf(source, namespace, table, parts));
  const replaced = new Set(params.map(({ resource }) => resource));
  const kept = others.filter(({ resource }) => !replaced.has(resource));
  const namespaces = namespacesOf(one, namespace, parts, others);
  return new Overlay(parts.lookup, [...chosen, ...kept, ...params, ...namespaces], HIDDEN);
}

/** Runs the steps of policies. */
async function admit(
  request: AdmissionRequest,
  parts: PolicyParts,
  rules: ReportedRule[],
): Promise<{ readonly refusal: string | undefined; readonly judged: readonly Judgement[] }> {
  const chain = new Chain([mutatingAdmissionPolicy(parts), validatingAdmissionPolicy(parts)]);
  let judged: readonly Judgement[] = [];
  const refusal = await refusalOf(async () => {
    await chain.mutate(request);
    const told = rules.length;
    judged = (await new ValidatingPolicies(parts).judge(request)) ?? [];
    // The step reports the same rules again.
    rules.length = told;
    await chain.validate(request);
  });
  return { refusal, judged };
}

const HIDDEN = new Set(
  (["Validating", "Mutating"] as const).flatMap((sort) => Object.values<string>(resourcesOfSort(sort))),
);

const refuses = ({ result }: ReportedRule): boolean => result === "denied" || result === "failed";

/** A param; one without a namespace is in that of the object. */
function paramOf(source: SourceValue, namespace: string, table: KindTable, { api }: TrialParts): TrialDocument {
  const kind = table.of(source);
  const object = decodeDocument(kind, source.value, api, namespace || undefined);
  return { object, resource: kind.stored.key.replace(/\.$/, ""), from: source.from };
}

/** A namespace for the object, where no document defines one. */
function namespacesOf(
  { namespaceLabels }: PolicyCase,
  name: string,
  { lookup }: TrialParts,
  others: readonly TrialDocument[],
): readonly TrialDocument[] {
  if (name === "") return [];
  const isShown = others.some(({ resource, object }) => resource === "namespaces" && object.metadata.name === name);
  if (namespaceLabels === undefined && (isShown || lookup.get("namespaces", "", name))) return [];
  const labels = { "kubernetes.io/metadata.name": name, ...namespaceLabels };
  const object = asObject({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  return [{ resource: "namespaces", object, from: "the case" }];
}

/** The message of the refusal that work throws; undefined for none. */
async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status.message ?? error.message;
  }
}

function violationsOf(judgement: Judgement): readonly FailedValidation[] {
  if (judgement.fault !== undefined) return [{ policy: judgement.policy.name, message: judgement.fault }];
  const { invocation, result } = judgement;
  return result.decisions
    .filter((decision) => decision.result !== "allowed")
    .map(({ message }) => ({ policy: invocation.policy.name, message }));
}
