/**
 * From what people call a kind (`cm`, `configmaps`, `StorageClass`, `events.events.k8s.io`) to the resource that serves it.
 *
 * @module
 */
import { type Client, type ResourceRef, isStatus } from "../client/client.ts";
import { CliError } from "./cli-error.ts";

/** A resource as discovery tells of it. */
export interface FoundKind extends ResourceRef {
  readonly kind: string;
  readonly namespaced: boolean;
}

interface ApiResource {
  readonly name: string;
  readonly singularName?: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

interface Served extends GroupVersion {
  readonly resources: readonly ApiResource[];
}

/**
 * The resource that `asked` means: a plural, singular or short name or a kind, in any case of letters, alone or with its
 * group (the beginning of the group is enough). Where several groups have one, the first in the order of discovery.
 *
 * @throws CliError when there is none
 */
export async function findKind(client: Client, asked: string): Promise<FoundKind> {
  const at = asked.indexOf(".");
  const name = (at < 0 ? asked : asked.slice(0, at)).toLowerCase();
  const group = at < 0 ? undefined : asked.slice(at + 1).toLowerCase();
  const served = await readAll(client, await groupVersions(client));
  for (const { resources, ...place } of served) {
    if (group !== undefined && place.group !== group && !place.group.startsWith(`${group}.`)) continue;
    const found = resources.find((resource) => !resource.name.includes("/") && isCalled(resource, name));
    if (found) return asFound(place, found);
  }
  throw new CliError(`the server has no kind called ${JSON.stringify(asked)}; kubectl api-resources lists what it has`);
}

/** The resource of a kind by its full name, as objects carry it. @throws CliError when it is not served */
export async function findExactKind(client: Client, apiVersion: string, kind: string): Promise<FoundKind> {
  const at = apiVersion.indexOf("/");
  const place = { group: at < 0 ? "" : apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
  const [served] = await readAll(client, [place]).catch((error: unknown) => {
    if (isStatus(error, "NotFound")) return [];
    throw error;
  });
  const found = served?.resources.find((resource) => !resource.name.includes("/") && resource.kind === kind);
  if (found) return asFound(place, found);
  throw new CliError(`the server has no kind ${kind} of ${apiVersion}`);
}

/** Whether objects of a kind have a subresource, `status` for one. */
export async function hasSubresource(client: Client, found: FoundKind, subresource: string): Promise<boolean> {
  const [served] = await readAll(client, [found]);
  return served!.resources.some(({ name }) => name === `${found.plural}/${subresource}`);
}

const asFound = ({ group, version }: GroupVersion, { name, kind, namespaced }: ApiResource): FoundKind => ({
  group,
  version,
  plural: name,
  kind,
  namespaced,
});

const isCalled = ({ name, singularName, kind, shortNames = [] }: ApiResource, asked: string): boolean =>
  name === asked || singularName === asked || kind.toLowerCase() === asked || shortNames.includes(asked);

interface Versions {
  readonly versions: readonly string[];
}

interface Groups {
  readonly groups: readonly {
    readonly name: string;
    readonly preferredVersion: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

/** Every group and version, the core group first, the preferred version of a group before its others. */
async function groupVersions(client: Client): Promise<GroupVersion[]> {
  const [core, named] = await Promise.all([client.json<Versions>("GET", "/api"), client.json<Groups>("GET", "/apis")]);
  return [
    ...core.versions.map((version) => ({ group: "", version })),
    ...named.groups.flatMap(({ name, preferredVersion, versions }) =>
      [preferredVersion, ...versions.filter(({ version }) => version !== preferredVersion.version)].map(
        ({ version }) => ({ group: name, version }),
      ),
    ),
  ];
}

const readAll = (client: Client, places: readonly GroupVersion[]): Promise<Served[]> =>
  Promise.all(
    places.map(async (place) => {
      const path = place.group ? `/apis/${place.group}/${place.version}` : `/api/${place.version}`;
      const { resources } = await client.json<{ readonly resources: readonly ApiResource[] }>("GET", path);
      return { ...place, resources };
    }),
  );
