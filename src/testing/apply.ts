/**
 * Objects of a test into a cluster, as {@link applyFound} does; which kinds there are is asked of the registry, without a request.
 *
 * @module
 */
import { type FindKind, applyFound } from "../client/apply.ts";
import { type ApiObject, type Client, apiVersionOf } from "../client/index.ts";
import type { FoundManifest } from "../client/manifests.ts";
import type { Registry } from "../registry/index.ts";

/** Who owns what a test applies: it takes what it names, and the status, too. */
const HOW = { fieldManager: "test", force: true, status: true };

const servedKind =
  (registry: () => Registry): FindKind =>
  ({ apiVersion, kind }) => {
    const found = registry().resources.find(
      ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
    );
    if (!found) throw new Error(`expected a kind that is served, got ${kind} of ${apiVersion}`);
    const { group, version, plural, scope, subresources } = found.definition;
    return { kind: { group, version, kind, plural, scope }, hasStatus: subresources?.["status"] !== undefined };
  };

/** Applies manifests in an order that works. @throws ApplyError with all that were refused, when all others have been applied */
export const applyToCluster = (
  client: Client,
  registry: () => Registry,
  found: readonly FoundManifest[],
): Promise<readonly ApiObject[]> => applyFound(client, found, servedKind(registry), HOW);
