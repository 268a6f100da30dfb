import { type FindKind, applyFound } from "../client/apply.ts";
import { type ApiObject, type Client, apiVersionOf } from "../client/index.ts";
import type { FoundManifest } from "../client/manifests.ts";
import type { Registry } from "../registry/index.ts";

/** A test takes over the fields that it applies, including those of the status. */
const OPTIONS = { fieldManager: "test", force: true, status: true };

const servedKind =
  (registry: () => Registry): FindKind =>
  ({ apiVersion, kind }) => {
    const found = registry().resources.find(
      ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
    );
    if (!found) throw new Error(`expected a served kind, got ${kind} of ${apiVersion}`);
    const { group, version, plural, scope, subresources } = found.definition;
    return { kind: { group, version, kind, plural, scope }, hasStatus: subresources?.["status"] !== undefined };
  };

/**
 * Applies manifests in a working order; kinds are looked up in the registry, without a request.
 *
 * @throws ApplyError with all refused objects, after all others were applied
 */
export const applyToCluster = (
  client: Client,
  registry: () => Registry,
  found: readonly FoundManifest[],
): Promise<readonly ApiObject[]> => applyFound(client, found, servedKind(registry), OPTIONS);
