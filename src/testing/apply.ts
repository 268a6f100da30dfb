/**
 * Objects of a test into a cluster, by server-side apply, in an order that works.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, type UntypedObject, apiVersionOf } from "../client/index.ts";
import type { Registry } from "../registry/index.ts";
import { inOrder } from "./apply-order.ts";
import type { FoundManifest, Manifest } from "./manifests.ts";

/** Who owns what a test applies. */
const FIELD_MANAGER = "test";

/** An object that was not taken. */
export interface Refusal {
  readonly manifest: Manifest;
  /** Where it stood. */
  readonly from: string;
  readonly error: unknown;
}

/** Some objects were refused; all others are there. */
export class ApplyError extends Error {
  override readonly name = "ApplyError";
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[], of: number) {
    const lines = refusals.map(({ manifest, from, error }) => `  ${nameOf(manifest)} (${from}): ${messageOf(error)}`);
    super(`${refusals.length} of ${of} objects were refused:\n${lines.join("\n")}`, { cause: refusals[0]?.error });
    this.refusals = refusals;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const nameOf = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;

/** A kind as a manifest names it, with what the server says of it. */
interface ServedKind {
  readonly kind: Kind<UntypedObject>;
  readonly hasStatus: boolean;
}

function servedKind(registry: Registry, { apiVersion, kind }: Manifest): ServedKind {
  const found = registry.resources.find(
    ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
  );
  if (!found) throw new Error(`expected a kind that is served, got ${kind} of ${apiVersion}`);
  const { group, version, plural, scope, subresources } = found.definition;
  return { kind: { group, version, kind, plural, scope }, hasStatus: subresources?.["status"] !== undefined };
}

/**
 * Applies manifests one after the other, so that uids and versions are the same in every run; the objects in the order in
 * which they were given. Objects of a namespaced kind that name no namespace go to `default`; a status goes through its
 * subresource.
 *
 * @throws ApplyError with all that were refused, when all others have been applied
 */
export async function applyManifests(
  client: Client,
  registry: () => Registry,
  found: readonly FoundManifest[],
): Promise<readonly ApiObject[]> {
  const applied = new Map<FoundManifest, ApiObject>();
  const refused = new Map<FoundManifest, unknown>();
  for (const one of inOrder(found)) {
    try {
      applied.set(one, await applyOne(client, servedKind(registry(), one.manifest), one.manifest));
    } catch (error) {
      refused.set(one, error);
    }
  }
  if (refused.size === 0) return found.map((one) => applied.get(one)!);
  const refusals = found.filter((one) => refused.has(one)).map((one) => ({ ...one, error: refused.get(one) }));
  throw new ApplyError(refusals, found.length);
}

async function applyOne(client: Client, { kind, hasStatus }: ServedKind, manifest: Manifest): Promise<ApiObject> {
  const { status, ...rest } = manifest;
  const { name, namespace = "default" } = manifest.metadata;
  const metadata = kind.scope === "Namespaced" ? { ...manifest.metadata, namespace } : manifest.metadata;
  const resource = client.resource(kind);
  const options = { fieldManager: FIELD_MANAGER, force: true };
  const intent = { ...rest, metadata, ...(hasStatus || status === undefined ? {} : { status }) };
  const object = await resource.apply(intent, options);
  if (!hasStatus || status === undefined) return object;
  const place = kind.scope === "Namespaced" ? { name, namespace } : { name };
  return resource.status.apply({ metadata: place, status }, options);
}
