/** Applies the objects of manifests by server-side apply, in a working order. */
import { isObject, textOf } from "../value/value.ts";
import { backoff } from "../util/backoff.ts";
import { sleep, systemRandom } from "../util/clock.ts";
import { inOrder } from "./apply-order.ts";
import type { Client } from "./client.ts";
import { UnknownKindError, findKind } from "./find-kind.ts";
import { type Kind, type KindName, type UntypedObject, apiVersionOf } from "./kind.ts";
import type { FoundManifest, Manifest } from "./manifests.ts";
import type { ApplyOptions } from "./queries.ts";
import { messageOf } from "../util/error.ts";

/** The options of {@link applyManifests}. */
export interface ManifestOptions extends Omit<ApplyOptions, "explain"> {
  /** The namespace of objects that name none; `default` by default. */
  readonly namespace?: string;
  /** Whether to apply the status through its subresource; not by default, as in `kubectl apply`. */
  readonly status?: boolean;
}

/** A refused object. */
export interface Refusal {
  readonly manifest: Manifest;
  /** The file and document. */
  readonly from: string;
  readonly error: unknown;
}

/** Some objects were refused; all others were applied. */
export class ApplyError extends Error {
  override readonly name = "ApplyError";
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[], of: number) {
    const lines = refusals.map(({ manifest, from, error }) => `  ${nameOf(manifest)} (${from}): ${messageOf(error)}`);
    super(`${refusals.length} of ${of} objects were refused:\n${lines.join("\n")}`, { cause: refusals[0]?.error });
    this.refusals = refusals;
  }
}

const nameOf = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;

/** The kind of a manifest, from discovery. */
export interface ServedManifestKind {
  readonly kind: Kind<UntypedObject>;
  readonly hasStatus: boolean;
}

/** Finds the kind of a manifest. @throws Error when it is not served */
export type FindKind = (name: KindName) => ServedManifestKind | Promise<ServedManifestKind>;

/**
 * Applies manifests: objects, lists, files, folders, and YAML or JSON texts, which have a line break or begin with a brace.
 * Namespaces and definitions come first, then kinds that others need; it waits for kinds that are defined among them. The results are
 * in the given order.
 *
 *     await applyManifests(client, ["deploy/", "kind: List ..."], { fieldManager: "installer", force: true });
 *
 * @throws ApplyError with all that were refused, when all others have been applied
 */
export async function applyManifests(
  client: Client,
  sources: string | Manifest | readonly (string | Manifest)[],
  options: ManifestOptions,
): Promise<readonly UntypedObject[]> {
  // Most programs read no YAML.
  const { readManifests } = await import("./manifests.ts");
  const found = ([sources].flat() as readonly (string | Manifest)[]).flatMap((source) => readManifests(source));
  return applyFound(client, found, kindsOf(client, found, options.signal), options);
}

/**
 * Applies objects one after the other, so that versions are the same in every run. The results are in the given order.
 *
 * @throws ApplyError with all that were refused, when all others have been applied
 */
export async function applyFound(
  client: Client,
  found: readonly FoundManifest[],
  findFor: FindKind,
  options: ManifestOptions,
): Promise<readonly UntypedObject[]> {
  const applied = new Map<FoundManifest, UntypedObject>();
  const refused = new Map<FoundManifest, unknown>();
  for (const one of inOrder(found)) {
    options.signal?.throwIfAborted();
    try {
      applied.set(one, await applyOne(client, await findFor(one.manifest), one.manifest, options));
    } catch (error) {
      options.signal?.throwIfAborted();
      refused.set(one, error);
    }
  }
  if (refused.size === 0) return found.flatMap((one) => applied.get(one) ?? []);
  const refusals = found.filter((one) => refused.has(one)).map((one) => ({ ...one, error: refused.get(one) }));
  throw new ApplyError(refusals, found.length);
}

async function applyOne(
  client: Client,
  { kind, hasStatus }: ServedManifestKind,
  manifest: Manifest,
  { namespace: usual = "default", status: takesStatus = false, ...options }: ManifestOptions,
): Promise<UntypedObject> {
  const { status, ...rest } = manifest;
  const { name, namespace = usual } = manifest.metadata;
  const metadata = kind.scope === "Namespaced" ? { ...manifest.metadata, namespace } : manifest.metadata;
  const resource = client.resource(kind);
  const intent = { ...rest, metadata, ...(hasStatus || status === undefined ? {} : { status }) };
  const object = await resource.apply(intent, options);
  if (!takesStatus || !hasStatus || status === undefined) return object;
  const place = kind.scope === "Namespaced" ? { name, namespace } : { name };
  return resource.status.apply({ metadata: place, status }, options);
}

const DEFINITION_TIMEOUT_MS = 30_000;
const RETRY_BACKOFF = { first: 50, most: 1000 };

/** Finds each kind once, and waits for those that are defined among the manifests. */
function kindsOf(client: Client, found: readonly FoundManifest[], signal: AbortSignal | undefined): FindKind {
  const defined = new Set(found.flatMap(({ manifest }) => definedBy(manifest)));
  const known = new Map<string, Promise<ServedManifestKind>>();
  return (name) => {
    const id = `${name.apiVersion} ${name.kind}`;
    let kind = known.get(id);
    if (!kind)
      known.set(id, (kind = findServedKind(client, name, defined.has(id) ? DEFINITION_TIMEOUT_MS : 0, signal)));
    return kind;
  };
}

function definedBy({ kind, spec }: Manifest): readonly string[] {
  if (kind !== "CustomResourceDefinition") return [];
  const { group, names, versions } = isObject(spec) ? spec : {};
  const defined = isObject(names) ? textOf(names["kind"]) : "";
  return (Array.isArray(versions) ? versions : []).map((one) => {
    const version = isObject(one) ? textOf(one["name"]) : "";
    return `${apiVersionOf({ group: textOf(group), version })} ${defined}`;
  });
}

async function findServedKind(
  client: Client,
  name: KindName,
  patience: number,
  signal: AbortSignal | undefined,
): Promise<ServedManifestKind> {
  const { clock, local } = client;
  const until = clock.steady() + patience;
  for (let failures = 0; ; failures++) {
    const changed = new AbortController();
    // With a clock that stands still, the notification of the kind ends the wait.
    const subscription = local?.onKindsChange(() => changed.abort());
    try {
      const kind = await findKind(client, name, signal);
      return { kind, hasStatus: kind.subresources.includes("status") };
    } catch (error) {
      if (!(error instanceof UnknownKindError) || clock.steady() >= until) throw error;
      const woken = signal ? AbortSignal.any([changed.signal, signal]) : changed.signal;
      await sleep(clock, backoff(failures, RETRY_BACKOFF, systemRandom), woken);
      signal?.throwIfAborted();
    } finally {
      subscription?.[Symbol.dispose]();
    }
  }
}
