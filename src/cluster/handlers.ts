/**
 * The parts that a cluster passes to its registry: authorization, the steps of admission, the actions, and the objects that are not stored.
 *
 * @module
 */
import { builtInActions } from "../actions/index.ts";
import type { Admission } from "../admission/contract.ts";
import type { PolicyKinds, StoredKind } from "../admission/policies/contract.ts";
import { PolicyMetrics } from "../admission/policies/policy-metrics.ts";
import type { ResourceOfKind } from "../admission/owner-references.ts";
import { type AdmissionParts, admissionSteps } from "../admission/steps.ts";
import { WebhookParts } from "../admission/webhooks/webhook-parts.ts";
import { mastersAuthorizer } from "../auth/admin.ts";
import { authenticatorChain } from "../auth/chain.ts";
import type { Authenticator, Authorizer, AuthContext } from "../auth/contract.ts";
import { definitionPreview } from "../extension/index.ts";
import { structOf } from "../apply/index.ts";
import { copyOf } from "../schema/api-object.ts";
import {
  type BuiltRegistry,
  type Handlers,
  type Kind,
  type Kinds,
  type RegistryAccess,
  amendStatus,
  provisionNamespace,
} from "../registry/index.ts";
import type { Collector } from "../util/exposition.ts";
import { componentStatuses } from "./components.ts";
import type { ClusterParts } from "./contract.ts";
import type { Own } from "./own.ts";
import { simulatedMetrics } from "./simulated-metrics.ts";

/** The handlers of a cluster, with those that the server needs too. */
export interface ClusterHandlers extends Handlers {
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  readonly webhooks: WebhookParts;
  /** The metrics of steps of admission. */
  readonly admissionMetrics: readonly Collector[];
}

/** The registry of a cluster. */
export type ClusterRegistry = BuiltRegistry<ClusterHandlers>;

/** Makes the handlers of a cluster for its registry. */
export function handlersOf(parts: ClusterParts, own: Own, access: RegistryAccess): ClusterHandlers {
  const { authorizer: authorizerOf = () => mastersAuthorizer, authenticator: authenticatorOf = acceptNone } = parts;
  const authorizer = authorizerOf(access);
  const { wallClock = access.api.clock } = parts;
  const authenticator = authenticatorOf({ ...access, api: { ...access.api, clock: wallClock } });
  const policyMetrics = new PolicyMetrics();
  const webhooks = new WebhookParts({
    ...access.api,
    lookup: access.lookup,
    hooks: own.hooks,
    authorizer,
    services: parts.services,
  });
  return {
    authorizer,
    authenticator,
    admission: admissionOf(parts, {
      ...admissionParts(access, authorizer),
      webhooks,
      policyMetrics,
      podSecurity: own.podSecurity,
    }),
    admissionMetrics: [webhooks.metrics.collect, policyMetrics.collect],
    webhooks,
    actions: builtInActions({
      access,
      authorizer,
      authenticator,
      signer: parts.signer ?? noSigner,
      wallTime: () => wallClock.now(),
    }),
    shown: new Map([
      ["/ComponentStatus", () => componentStatuses({ ...own, ...own.api, lookup: access.lookup })],
      ...simulatedMetrics({ ...own.api, lookup: access.lookup, simulation: parts.simulation ?? (() => undefined) }),
    ]),
  };
}

const admissionOf = ({ plugins, steps = [] }: ClusterParts, parts: AdmissionParts): Admission =>
  admissionSteps(parts, { plugins, added: [...steps, definitionPreview(parts)] });

/** The parts that the built-in steps of admission need. */
const admissionParts = (
  access: RegistryAccess,
  authorizer: Authorizer,
): Omit<AdmissionParts, "webhooks" | "policyMetrics" | "podSecurity"> => ({
  ...access.api,
  lookup: access.lookup,
  authorizer,
  policyKinds: policyKindsOf(access),
  provision: (name) => provisionNamespace(access.kinds, name),
  resourcesOf: (apiVersion, kind) => resourcesOf(access.kinds, apiVersion, kind),
  async amend(resource, key, change, options) {
    const kind = access.kinds.stored(resource);
    return kind && amendStatus(kind, key, change, options);
  },
});

/** The parts of the kinds that policies need. */
export const policyKindsOf = (access: Pick<RegistryAccess, "kinds">): PolicyKinds => ({
  storedKind(apiVersion, kind) {
    const [found] = resourcesOf(access.kinds, apiVersion, kind);
    const served = found && access.kinds.kind(found.group, found.version, found.plural);
    return served && storedKindOf(served);
  },
  typeOf({ ref, version, subresource }) {
    const definition = access.kinds.find(ref.group, version, ref.plural)?.definition;
    const taken = definition?.subresources?.[subresource]?.takes;
    if (taken) return structOf(taken.schema);
    return access.kinds.kind(ref.group, version, ref.plural)?.type ?? (definition && structOf(definition.schema));
  },
});

const storedKindOf = ({ apiVersion, namespaced, stored }: Kind): StoredKind => ({
  resource: stored.key,
  namespaced,
  inVersion: (object) =>
    object.apiVersion === apiVersion ? object : stored.converter.convert(copyOf(object), apiVersion),
});

/** The served resources of a kind in an apiVersion, `apps/v1`. */
function resourcesOf(kinds: Kinds, apiVersion: string, kind: string): ResourceOfKind[] {
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const served = kinds.version(group, version)?.resources ?? [];
  return served
    .filter(({ definition }) => definition.kind === kind)
    .map(({ definition: { plural, scope } }) => ({ group, version, plural, namespaced: scope === "Namespaced" }));
}

const noSigner = (): never => {
  throw new Error("expected the parts of the cluster to have a signer, a token was requested");
};

/** Accepts no credential. */
const acceptNone = ({ api: { clock, random, dialect } }: AuthContext): Authenticator =>
  authenticatorChain({ clock, random, tokens: [], anonymous: () => dialect.rules.anonymousByRoles });
