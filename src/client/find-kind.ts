/** Finds a kind by the names in manifests. */
import { suggestion } from "../util/nearest.ts";
import { isStatus } from "./errors.ts";
import type { Kind, KindName, UntypedObject } from "./kind.ts";
import type { Requests } from "./requests.ts";
import { pathOf } from "./unserved.ts";

/** A served kind with its subresources. */
export interface FoundKind extends Kind<UntypedObject> {
  readonly subresources: readonly string[];
}

/** An APIResourceList, which every server has. */
interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Finds a kind in discovery. @throws UnknownKindError with similar names where the server does not have it */
export async function findKind(
  client: Requests,
  { apiVersion, kind }: KindName,
  signal?: AbortSignal,
): Promise<FoundKind> {
  const names = groupAndVersionOf(apiVersion);
  const { resources } = await resourcesOf(client, apiVersion, names, signal);
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
  if (!found) {
    const kinds = resources.filter(({ name }) => !name.includes("/")).map((resource) => resource.kind);
    throw new UnknownKindError(`${apiVersion} has no ${kind}${suggestion(kind, kinds)}`);
  }
  const prefix = `${found.name}/`;
  const below = resources.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const scope = found.namespaced ? "Namespaced" : "Cluster";
  return { ...names, kind, plural: found.name, scope, subresources: below };
}

/** The server does not have a kind. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";

  constructor(what: string) {
    super(`expected a kind that is served: ${what}`);
  }
}

/** Splits an apiVersion. @throws UnknownKindError for an invalid one */
function groupAndVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = "", second, ...more] = apiVersion.split("/");
  if (first === "" || second === "" || more.length > 0) {
    throw new UnknownKindError(`${JSON.stringify(apiVersion)} is no apiVersion such as v1 or apps/v1`);
  }
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

async function resourcesOf(
  client: Requests,
  apiVersion: string,
  names: Pick<Kind, "group" | "version">,
  signal: AbortSignal | undefined,
): Promise<ResourceList> {
  try {
    return await client.json<ResourceList>("GET", pathOf(names), { signal });
  } catch (error) {
    if (!isStatus(error, "NotFound")) throw error;
    throw new UnknownKindError(`the server has no ${apiVersion}`);
  }
}
