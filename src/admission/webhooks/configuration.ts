/**
 * A webhook of a configuration, compiled: read once for each state of its configuration.
 *
 * @module
 */
import type { MutatingWebhookConfiguration } from "../../kinds/admissionregistration/v1/mutatingwebhookconfiguration.ts";
import { asObject, guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { MatchConditions } from "../rules/conditions.ts";
import { type Matcher, compileMatching } from "../rules/matcher.ts";

/** The group of configurations of webhooks and policies, in every dialect. */
export const GROUP = "admissionregistration.k8s.io";

/** The differences of the two plugins besides their effects. */
export interface WebhookType {
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  readonly plural: string;
  /** The label `type` of metrics. */
  readonly label: "admit" | "validating";
}

/** Webhooks that may change a request. */
export const MUTATING: WebhookType = {
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  label: "admit",
};

/** Webhooks that may only refuse a request. */
export const VALIDATING: WebhookType = {
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  label: "validating",
};

/** A version of AdmissionReview. */
export type ReviewVersion = "v1" | "v1beta1";

/** One webhook. */
export interface Webhook {
  /** Identifies it among all webhooks. */
  readonly key: string;
  readonly configuration: string;
  readonly name: string;
  readonly type: WebhookType;
  readonly matcher: Matcher;
  readonly conditions: MatchConditions;
  /** The conditions in the form of a policy, for another thread. */
  readonly policy: ApiObject;
  readonly client: WebhookValue["clientConfig"];
  readonly ignoresFailures: boolean;
  readonly timeoutMillis: number;
  /** Whether it may be called for a dry run. */
  readonly allowsDryRun: boolean;
  /** Undefined where no version that it accepts is supported. */
  readonly reviewVersion: ReviewVersion | undefined;
  readonly isReinvocable: boolean;
}

/** A webhook with its position among all webhooks of its type, as audit annotations count. */
export interface PlacedWebhook {
  readonly webhook: Webhook;
  readonly matcher: Matcher;
  readonly index: number;
}

/** The webhooks of one configuration. */
export interface Configuration {
  readonly name: string;
  readonly webhooks: readonly Webhook[];
}

/** Both configurations have the form of this one; a webhook that validates has no `reinvocationPolicy`. */
type AnyConfiguration = MutatingWebhookConfiguration;
type WebhookValue = NonNullable<AnyConfiguration["webhooks"]>[number];

/** Returns the reader of configurations of a type. */
function readerOf(type: WebhookType): (object: ApiObject) => Configuration | undefined {
  const isConfiguration = guardOf<AnyConfiguration>(type.kind);
  return (object) => {
    if (!isConfiguration(object)) return undefined;
    const { name = "" } = object.metadata;
    return { name, webhooks: (object.webhooks ?? []).map((one) => webhookOf(one, name, type)) };
  };
}

const READ_MUTATING = readerOf(MUTATING);
const READ_VALIDATING = readerOf(VALIDATING);

/** The reader of a type; always the same function, so that each state of a configuration is compiled once. */
export const readerFor = (type: WebhookType): ((object: ApiObject) => Configuration | undefined) =>
  type === MUTATING ? READ_MUTATING : READ_VALIDATING;

/** All webhooks in the order of their calls: configurations by name (HOOK-11). */
export const inCallOrder = (configurations: readonly Configuration[]): readonly PlacedWebhook[] =>
  configurations
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ webhooks }) => webhooks)
    .map((webhook, index) => ({ webhook, matcher: webhook.matcher, index }));

const DEFAULT_TIMEOUT_SECONDS = 10;

function webhookOf(value: WebhookValue, configuration: string, type: WebhookType): Webhook {
  const { name, clientConfig, failurePolicy, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, sideEffects } = value;
  const { rules = [], matchPolicy, namespaceSelector, objectSelector, matchConditions = [] } = value;
  const versions = value.admissionReviewVersions ?? [];
  return {
    key: `${type.label}/${configuration}/${name}`,
    configuration,
    name,
    type,
    matcher: compileMatching({ resourceRules: rules, matchPolicy, namespaceSelector, objectSelector }),
    conditions: new MatchConditions(matchConditions),
    policy: asObject({ apiVersion: `${GROUP}/v1`, kind: type.kind, metadata: { name }, spec: { matchConditions } }),
    client: clientConfig,
    ignoresFailures: failurePolicy === "Ignore",
    timeoutMillis: timeoutSeconds * 1000,
    allowsDryRun: sideEffects === "None" || sideEffects === "NoneOnDryRun",
    reviewVersion: versions.find((version): version is ReviewVersion => version === "v1" || version === "v1beta1"),
    isReinvocable: value.reinvocationPolicy === "IfNeeded",
  };
}
