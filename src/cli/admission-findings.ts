/**
 * Mistakes in configurations of webhooks and policies that no write has shown yet.
 *
 * @module
 */
import { CompiledRule } from "../admission/rules/rule.ts";
import type { ServedKind } from "../client/kind.ts";
import { type SelectorValue, selectorOf } from "../meta/label-selector.ts";
import type { Labels } from "../meta/selectors.ts";
import {
  type AdmissionFacts,
  type BindingFact,
  type FactMatching,
  type FactRule,
  type PolicyFact,
  type WebhookFact,
  keyOf,
} from "./admission-facts.ts";

/** One mistake. */
export interface AdmissionFinding {
  /** `error` where writes are refused or a policy does nothing, else `warning`. */
  readonly severity: "error" | "warning";
  /** The object to change: `ValidatingWebhookConfiguration/checks`. */
  readonly source: string;
  /** The webhook in it. */
  readonly webhook?: string;
  readonly says: string;
}

type Found = Omit<AdmissionFinding, "source" | "webhook">;

/** The timeout of a request, which all webhooks share: the default of `--request-timeout`. */
const REQUEST_SECONDS = 60;

const OPERATIONS = ["CREATE", "UPDATE", "DELETE"] as const;
/** The verbs of these operations. */
const VERBS = { CREATE: ["create"], UPDATE: ["update", "patch"], DELETE: ["delete"] } as const;

type Operation = (typeof OPERATIONS)[number] | "CONNECT";

/** A resource or subresource that is served. */
interface Served {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly operations: readonly Operation[];
}

/** Finds the mistakes: of each webhook, each policy and each binding, then those of webhooks together. */
export function admissionFindings(facts: AdmissionFacts): readonly AdmissionFinding[] {
  const served = facts.kinds.flatMap(servedOf);
  return [
    ...facts.webhooks.flatMap((webhook) => aboutWebhook(webhook, facts, served)),
    ...facts.policies.flatMap((policy) => aboutPolicy(policy, facts, served)),
    ...facts.bindings.flatMap((binding) => aboutBinding(binding, facts, served)),
    ...sumsOfTimes(facts.webhooks, served),
  ];
}

function aboutWebhook(webhook: WebhookFact, facts: AdmissionFacts, served: readonly Served[]): AdmissionFinding[] {
  const { source, name } = webhook;
  const found = [
    ...aboutService(webhook, facts),
    ...aboutRules(webhook, served),
    ...aboutSelectors(webhook, facts),
    ...(webhook.rules.length === 0 ? [warning("it has no rules, so it is called for nothing")] : []),
  ];
  return found.map((one) => ({ ...one, source, webhook: name }));
}

function aboutPolicy(policy: PolicyFact, facts: AdmissionFacts, served: readonly Served[]): AdmissionFinding[] {
  const { source, name, paramKind, warnings } = policy;
  const kind = source.slice(0, source.indexOf("/"));
  const isBound = facts.bindings.some((one) => one.policyKind === kind && one.policyName === name);
  const found = [
    ...(isBound ? [] : [error("it has no binding, so it is never evaluated")]),
    ...(paramKind && !isServed(paramKind, facts.kinds)
      ? [error(`its paramKind ${paramKind.kind} of ${paramKind.apiVersion} is not served`)]
      : []),
    ...warnings.map((text) => warning(`type checking found in ${text}`)),
    ...aboutRules(policy, served),
    ...aboutSelectors(policy, facts),
  ];
  return found.map((one) => ({ ...one, source }));
}

function aboutBinding(binding: BindingFact, facts: AdmissionFacts, served: readonly Served[]): AdmissionFinding[] {
  const { source, policyKind, policyName } = binding;
  const policy = `${policyKind}/${policyName}`;
  const isThere = facts.policies.some((one) => one.source === policy);
  const found = [
    ...(isThere ? [] : [error(`its policy ${policyName} does not exist`)]),
    ...aboutRules(binding, served),
    ...aboutSelectors(binding, facts),
  ];
  return found.map((one) => ({ ...one, source }));
}

const error = (says: string): Found => ({ severity: "error", says });
const warning = (says: string): Found => ({ severity: "warning", says });

/** A Service that does not exist, or whose own Pods the webhook checks: while all of them are down, none can be created. */
function aboutService(webhook: WebhookFact, facts: AdmissionFacts): Found[] {
  const { service, fails, rules } = webhook;
  if (!service) return [];
  const found = facts.services.get(keyOf(service));
  if (!found) {
    const then = fails ? "every write that it matches is refused" : "it is never called";
    return [
      fails
        ? error(`its Service ${keyOf(service)} does not exist: ${then}`)
        : warning(`its Service ${keyOf(service)} does not exist: ${then}`),
    ];
  }
  const labels = found.pods.length > 0 ? found.pods : found.selector ? [found.selector] : [];
  const isAboutPods = rules.some((rule) => new CompiledRule(rule).isAbout(POD_CREATION, POD));
  const isInPlace = selects(webhook.namespaceSelector, facts.namespaces.get(service.namespace));
  const isOwn = fails && isAboutPods && isInPlace && labels.some((one) => selects(webhook.objectSelector, one));
  if (!isOwn) return [];
  const where = `exclude the namespace ${service.namespace} or these Pods by a selector`;
  return [
    error(`it matches the Pods of its own Service ${keyOf(service)}: when all are down, none can be created; ${where}`),
  ];
}

const POD = { group: "", version: "v1", plural: "pods", kind: "Pod" };
const POD_CREATION = { operation: "CREATE", namespaced: true, subresource: "" } as const;

const selects = (selector: SelectorValue | undefined, labels: Labels | undefined): boolean =>
  selector === undefined || selectorOf(selector).matches(labels);

/** Rules that match no served resource. */
const aboutRules = ({ rules }: FactMatching, served: readonly Served[]): Found[] =>
  rules
    .filter((rule) => !served.some((resource) => meets(rule, resource)))
    .map((rule) => warning(`no served resource meets its rule ${textOf(rule)}`));

function meets(rule: FactRule, resource: Served): boolean {
  const compiled = new CompiledRule(rule);
  const { namespaced, subresource, operations } = resource;
  return operations.some((operation) =>
    compiled.isAbout({ operation, namespaced, subresource }, { ...resource, kind: "" }),
  );
}

/** `CREATE, UPDATE of widgets in example.com/v1`. */
function textOf({ operations = [], apiGroups = [], apiVersions = [], resources = [] }: FactRule): string {
  const groups = apiGroups.map((group) => (group === "" ? "core" : group)).join(", ");
  return `${operations.join(", ")} of ${resources.join(", ")} in ${groups}/${apiVersions.join(", ")}`;
}

/** Selectors that match nothing. */
function aboutSelectors({ namespaceSelector, objectSelector }: FactMatching, { namespaces }: AdmissionFacts): Found[] {
  const isEmpty = ![...namespaces.values()].some((labels) => selects(namespaceSelector, labels));
  return [
    ...(isEmpty ? [warning("its namespaceSelector selects no namespace")] : []),
    ...(contradicts(objectSelector) ? [warning("its objectSelector can select no object: it contradicts itself")] : []),
  ];
}

/** Whether no labels can satisfy a selector, as far as each key alone shows. */
function contradicts(selector: SelectorValue | undefined): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const all = [
    ...Object.entries(matchLabels).map(([key, value = ""]) => ({ key, operator: "In", values: [value] })),
    ...matchExpressions,
  ];
  return [...Map.groupBy(all, ({ key = "" }) => key)].some(([key, parts]) => {
    const values = parts.flatMap((part) => part.values ?? []);
    // A value in no part of the selector stands for all others.
    const candidates: Labels[] = [{}, ...[...values, `${values.join("")}x`].map((value) => ({ [key]: value }))];
    const own = selectorOf({ matchExpressions: parts });
    return !candidates.some((labels) => own.matches(labels));
  });
}

/** Mutating webhooks of one resource, which run one after another, that may take longer than the request. */
function sumsOfTimes(webhooks: readonly WebhookFact[], served: readonly Served[]): AdmissionFinding[] {
  const mutating = webhooks.filter(({ mutates }) => mutates);
  const reported = new Map<string, AdmissionFinding>();
  for (const resource of served) {
    const concerned = mutating.filter(({ rules }) => rules.some((rule) => meets(rule, resource)));
    const seconds = concerned.reduce((sum, { timeoutSeconds }) => sum + timeoutSeconds, 0);
    const key = concerned.map(({ source, name }) => `${source} ${name}`).join();
    if (seconds <= REQUEST_SECONDS || reported.has(key)) continue;
    const names = concerned.map(({ name }) => name).join(", ");
    const says = `the time-outs of the mutating webhooks of ${resource.plural} add up to ${seconds} s, and a request has ${REQUEST_SECONDS} s: ${names}`;
    reported.set(key, { severity: "warning", source: concerned[0]?.source ?? "", says });
  }
  return [...reported.values()];
}

const isServed = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  kinds: readonly ServedKind[],
): boolean =>
  kinds.some(
    (one) => one.kind === kind && (one.group === "" ? one.version : `${one.group}/${one.version}`) === apiVersion,
  );

/** A kind and its subresources, with the operations of their verbs. */
function servedOf({ group, version, plural, scope, verbs, subresources }: ServedKind): Served[] {
  const own = { group, version, plural, namespaced: scope === "Namespaced" };
  const below = [...subresources].map(([subresource, those]) => ({
    ...own,
    subresource,
    operations: [...operationsOf(those), ...(those.includes("get") ? (["CONNECT"] as const) : [])],
  }));
  return [{ ...own, subresource: "", operations: operationsOf(verbs) }, ...below];
}

function operationsOf(verbs: readonly string[]): readonly Operation[] {
  return OPERATIONS.filter((operation) => VERBS[operation].some((verb) => verbs.includes(verb)));
}
