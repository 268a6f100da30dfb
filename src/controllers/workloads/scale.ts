/** The scale subresource of any kind. */
import { type ApiObject, type Client, type Key, type Kind, type ServedKind } from "../../client/index.ts";

/** The form of every scale subresource. */
export interface ScaleObject extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** The name of a kind in a reference. */
export interface KindReference {
  readonly apiVersion?: string;
  readonly kind: string;
}

/** The missing part of the kind of a reference. */
export type NoScale = "kind" | { readonly plural: string; readonly group: string };

/**
 * Finds the served kind of a reference by its group, in its version where that is served, else in the preferred one; returns what is
 * missing where it has no scale.
 */
export function scaledKind(
  served: readonly ServedKind[],
  { apiVersion = "", kind }: KindReference,
): ServedKind | { readonly lacks: NoScale } {
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const all = served.filter((one) => one.kind === kind && one.group === group && one.verbs.length > 0);
  const found = all.find((one) => one.version === version) ?? all[0];
  if (!found) return { lacks: "kind" };
  return found.subresources.has("scale") ? found : { lacks: { plural: found.plural, group: found.group } };
}

/** Reads the scale of an object. @throws StatusError */
export async function readScale(
  client: Client,
  kind: Kind,
  key: Key<"Namespaced">,
  signal: AbortSignal,
): Promise<ScaleObject> {
  return client.json<ScaleObject>("GET", scalePath(kind, key), { signal });
}

/** Sets the number of replicas of an object by its scale, by its uid. @throws StatusError */
export async function writeScale(
  client: Client,
  kind: Kind,
  key: Key<"Namespaced">,
  { uid, replicas }: { readonly uid: string; readonly replicas: number },
): Promise<void> {
  const patch = { metadata: { uid }, spec: { replicas } };
  const scale = client.resource(kind as Kind<ScaleObject, "Namespaced">).subresource("scale");
  await scale.patch(key, patch as never);
}

const scalePath = ({ group, version, plural }: Kind, { namespace, name }: Key<"Namespaced">): string =>
  `${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}/scale`;
