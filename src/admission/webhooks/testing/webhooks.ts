/**
 * Configurations of webhooks and functions that respond for them, for tests.
 *
 * @module
 */
import { mastersAuthorizer } from "../../../auth/admin.ts";
import type { HookAddress, Hooks } from "../../../hooks/hooks.ts";
import { copyOf } from "../../../schema/api-object.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import type { Lookup } from "../../../schema/lookup.ts";
import { ManualClock, seededRandom } from "../../../util/clock.ts";
import type { Value, ValueObject } from "../../../value/value.ts";
import { Chain } from "../../chain.ts";
import type { AdmissionRequest } from "../../contract.ts";
import { lookupOf, objectOf, requestOf } from "../../testing/requests.ts";
import type { ServiceMap } from "../address.ts";
import { mutatingWebhooks } from "../mutating.ts";
import { validatingWebhooks } from "../validating.ts";
import { WebhookParts } from "../webhook-parts.ts";

/** The request of a review, as a webhook reads it. */
export interface Review {
  readonly apiVersion: string;
  readonly request: ValueObject & { readonly uid: string; readonly object: ValueObject | null };
}

/** The behaviour of a webhook on a review. */
export type Behaviour = (review: Review, address: HookAddress) => Value | Promise<Value>;

/** The response of a webhook that allows a request. */
export const allow =
  (more: object = {}): Behaviour =>
  ({ apiVersion, request: { uid } }) =>
    ({ apiVersion, kind: "AdmissionReview", response: { uid, allowed: true, ...more } }) as Value;

/** The response of a webhook that refuses a request. */
export const deny = (status?: object): Behaviour => allow({ allowed: false, ...(status ? { status } : {}) });

/** The response of a webhook that changes a request. */
export const patch = (operations: unknown, more: object = {}): Behaviour =>
  allow({ patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64"), ...more });

/** A webhook for all requests, with the changes of a test. */
export const webhook = (name: string, more: object = {}): object => ({
  name,
  clientConfig: { url: `https://hooks.example/${name}` },
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...more,
});

/** A configuration of webhooks of the type. */
export const configuration = (type: "Mutating" | "Validating", name: string, webhooks: readonly object[]): ApiObject =>
  objectOf({ name }, { kind: `${type}WebhookConfiguration`, webhooks });

/** The observations of tests besides the effects of webhooks. */
export interface WebhookWorld {
  readonly chain: Chain;
  readonly parts: WebhookParts;
  readonly clock: ManualClock;
  /** The names of the webhooks that were called. */
  readonly calls: string[];
  readonly reviews: Review[];
  readonly lookup: Lookup;
}

/** Webhooks whose behaviours are functions, by their names; one without a function allows. */
export function webhooksWith(
  configurations: readonly ApiObject[],
  behaviours: Readonly<Record<string, Behaviour>> = {},
  more: { readonly objects?: Parameters<typeof lookupOf>[0]; readonly services?: ServiceMap } = {},
): WebhookWorld {
  const calls: string[] = [];
  const reviews: Review[] = [];
  const hooks: Hooks = {
    async call(address, body) {
      const name = new URL(address.url).pathname.slice(1);
      const review = JSON.parse(body) as Review;
      calls.push(name);
      reviews.push(review);
      return await (behaviours[name] ?? allow())(review, address);
    },
    close: () => undefined,
  };
  const ofType = (kind: string): ApiObject[] => configurations.filter((one) => one.kind === kind);
  const group = "admissionregistration.k8s.io";
  const lookup = lookupOf({
    [`mutatingwebhookconfigurations.${group}`]: ofType("MutatingWebhookConfiguration"),
    [`validatingwebhookconfigurations.${group}`]: ofType("ValidatingWebhookConfiguration"),
    namespaces: [objectOf({ name: "team", labels: { env: "prod" } })],
    ...more.objects,
  });
  const clock = new ManualClock();
  const own = { lookup, clock, random: seededRandom(1), authorizer: mastersAuthorizer };
  const parts = new WebhookParts({ ...own, hooks, services: more.services });
  const chain = new Chain([mutatingWebhooks(parts), validatingWebhooks(parts)]);
  return { chain, parts, clock, calls, reviews, lookup };
}

/** A create of a ConfigMap whose object can be replaced, and that remembers its annotations. */
export function writeOf(
  world: WebhookWorld,
  more: Partial<AdmissionRequest> = {},
): AdmissionRequest & {
  readonly notes: Record<string, string>;
} {
  const notes: Record<string, string> = {};
  let again = false;
  const object = copyOf(objectOf({ name: "a", namespace: "team" }, { kind: "ConfigMap", data: { k: "v" } }));
  const request = requestOf({
    object,
    lookup: world.lookup,
    replace: (value) => {
      for (const member of Object.keys(object)) delete object[member];
      Object.assign(object, value);
    },
    reinvoke: () => void (again = true),
    note: (key, value) => void (notes[key] ??= value),
    ...more,
  });
  Object.defineProperty(request, "isReinvocation", { get: () => again });
  return Object.assign(request, { notes });
}
