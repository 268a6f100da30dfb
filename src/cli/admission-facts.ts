/**
 * The input of `keelson admission check`: the configurations of webhooks and policies, and the objects that they refer to.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import { Discovery } from "../client/discovery.ts";
import { attempt } from "../client/errors.ts";
import type { ApiObject, Kind, ServedKind } from "../client/kind.ts";
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingV1alpha1,
  MutatingAdmissionPolicyV1alpha1,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  Service,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "../client/kinds/index.ts";
import type { SelectorValue } from "../meta/label-selector.ts";
import type { Labels } from "../meta/selectors.ts";

/** A rule as all of these kinds have it. */
export interface FactRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** The selection of requests by a webhook, a policy or a binding. */
export interface FactMatching {
  readonly rules: readonly FactRule[];
  readonly namespaceSelector?: SelectorValue | undefined;
  readonly objectSelector?: SelectorValue | undefined;
}

/** A webhook of a configuration. */
export interface WebhookFact extends FactMatching {
  /** `ValidatingWebhookConfiguration/checks`. */
  readonly source: string;
  readonly name: string;
  readonly mutates: boolean;
  /** Whether a request is refused where the call fails. */
  readonly fails: boolean;
  readonly timeoutSeconds: number;
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
}

/** A policy with its bindings. */
export interface PolicyFact extends FactMatching {
  /** `ValidatingAdmissionPolicy/replicas`. */
  readonly source: string;
  readonly name: string;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** The warnings of the type check, in its status. */
  readonly warnings: readonly string[];
}

/** A binding of a policy. */
export interface BindingFact extends FactMatching {
  /** `ValidatingAdmissionPolicyBinding/all`. */
  readonly source: string;
  readonly name: string;
  readonly policyKind: string;
  readonly policyName: string;
}

/** A Service with the Pods that it selects. */
export interface ServiceFact {
  readonly selector: Labels | undefined;
  /** The labels of the Pods. */
  readonly pods: readonly Labels[];
}

/** See the head of this file. */
export interface AdmissionFacts {
  readonly webhooks: readonly WebhookFact[];
  readonly policies: readonly PolicyFact[];
  readonly bindings: readonly BindingFact[];
  readonly kinds: readonly ServedKind[];
  /** The labels of each namespace. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** The Services of webhooks by `namespace/name`, without those that do not exist. */
  readonly services: ReadonlyMap<string, ServiceFact>;
}

/** Reads everything from a server; kinds that it does not serve have no objects. */
export async function readAdmissionFacts(client: Client): Promise<AdmissionFacts> {
  const kinds = await new Discovery(client).read();
  const list = <T extends ApiObject>(kind: Kind<T>): Promise<readonly T[]> => listAll(client, kind, kinds);
  const webhooks = [
    ...(await list(MutatingWebhookConfiguration)).flatMap((one) => webhooksOf(one, true)),
    ...(await list(ValidatingWebhookConfiguration)).flatMap((one) => webhooksOf(one, false)),
  ];
  const isBeta = kinds.some(({ kind, version }) => kind === MutatingAdmissionPolicy.kind && version === "v1beta1");
  const policies: readonly Policy[] = [
    ...(await list(ValidatingAdmissionPolicy)),
    ...(await list<Policy>(isBeta ? MutatingAdmissionPolicy : MutatingAdmissionPolicyV1alpha1)),
  ];
  const bindings: readonly Binding[] = [
    ...(await list(ValidatingAdmissionPolicyBinding)),
    ...(await list<Binding>(isBeta ? MutatingAdmissionPolicyBinding : MutatingAdmissionPolicyBindingV1alpha1)),
  ];
  const namespaces = await list(Namespace);
  return {
    webhooks,
    policies: policies.map(policyOf),
    bindings: bindings.map(bindingOf),
    kinds,
    namespaces: new Map(namespaces.map(({ metadata: { name, labels = {} } }) => [name, labels])),
    services: await servicesOf(client, webhooks),
  };
}

async function listAll<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  served: readonly ServedKind[],
): Promise<readonly T[]> {
  const { group, version, plural } = kind;
  if (!served.some((one) => one.group === group && one.version === version && one.plural === plural)) return [];
  return (await client.resource(kind).list()).items;
}

type Configuration = Pick<ValidatingWebhookConfiguration, "kind" | "metadata" | "webhooks">;

const webhooksOf = ({ kind, metadata, webhooks = [] }: Configuration, mutates: boolean): WebhookFact[] =>
  webhooks.map(
    ({ name, rules = [], namespaceSelector, objectSelector, clientConfig, failurePolicy, timeoutSeconds }) => ({
      source: `${kind}/${metadata.name}`,
      name,
      mutates,
      rules,
      namespaceSelector,
      objectSelector,
      fails: failurePolicy !== "Ignore",
      timeoutSeconds: timeoutSeconds ?? 10,
      service: clientConfig.service ?? undefined,
    }),
  );

interface Matched {
  readonly resourceRules?: readonly FactRule[];
  readonly namespaceSelector?: SelectorValue;
  readonly objectSelector?: SelectorValue;
}

interface Policy extends ApiObject {
  readonly kind: string;
  readonly spec: {
    readonly matchConstraints?: Matched | null;
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string } | null;
  };
  readonly status?: {
    readonly typeChecking?: {
      readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
    };
  };
}

interface Binding extends ApiObject {
  readonly kind: string;
  readonly spec: { readonly policyName?: string; readonly matchResources?: Matched | null };
}

const matchingOf = (matched: Matched | null | undefined): FactMatching => ({
  rules: matched?.resourceRules ?? [],
  namespaceSelector: matched?.namespaceSelector,
  objectSelector: matched?.objectSelector,
});

function policyOf({ kind, metadata, spec, status }: Policy): PolicyFact {
  const { apiVersion = "", kind: paramKind = "" } = spec.paramKind ?? {};
  const warnings = status?.typeChecking?.expressionWarnings ?? [];
  return {
    ...matchingOf(spec.matchConstraints),
    source: `${kind}/${metadata.name}`,
    name: metadata.name,
    paramKind: spec.paramKind ? { apiVersion, kind: paramKind } : undefined,
    warnings: warnings.map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`),
  };
}

const bindingOf = ({ kind, metadata, spec }: Binding): BindingFact => ({
  ...matchingOf(spec.matchResources),
  source: `${kind}/${metadata.name}`,
  name: metadata.name,
  policyKind: kind.slice(0, -"Binding".length),
  policyName: spec.policyName ?? "",
});

async function servicesOf(client: Client, webhooks: readonly WebhookFact[]): Promise<ReadonlyMap<string, ServiceFact>> {
  const found = new Map<string, ServiceFact>();
  for (const { service } of webhooks) {
    if (!service || found.has(keyOf(service))) continue;
    const read = await attempt(client.resource(Service).get(service), "NotFound");
    if (!read.ok) continue;
    const { selector } = read.value.spec;
    found.set(keyOf(service), { selector, pods: selector ? await podsOf(client, service.namespace, selector) : [] });
  }
  return found;
}

/** The key of a Service in {@link AdmissionFacts.services}. */
export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

async function podsOf(client: Client, namespace: string, selector: Labels): Promise<readonly Labels[]> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const { items } = await client.resource(Pod).list({ namespace, labelSelector });
  return items.map(({ metadata }) => metadata.labels ?? {});
}
