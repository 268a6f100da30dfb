/**
 * What the fuzzed server holds: taken away from time to time, so that what grows nevertheless has leaked.
 *
 * @module
 */
import { HEALTHY } from "../attacks/target.ts";
import type { Http2Client } from "../serve/keelson.ts";

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] };
}

/** Deletes every object of every kind, but for those of the healthy client. */
export async function clear(client: Http2Client): Promise<void> {
  for (const collection of await collectionsOf(client)) {
    const { status, json } = await client.send("GET", collection);
    // A kind goes with its definition.
    if (status === 404) continue;
    const { items } = json as { items: readonly Item[] };
    const others = items.filter(({ metadata: { name, namespace = name } }) => namespace !== HEALTHY);
    for (const item of others) await remove(client, collection, item);
  }
}

/** The paths of all collections, without those that come and go with others. */
async function collectionsOf(client: Http2Client): Promise<string[]> {
  const { json: groups } = await client.send("GET", "/apis");
  const versions = (groups as { groups: readonly { preferredVersion: { groupVersion: string } }[] }).groups.map(
    ({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`,
  );
  const collections: string[] = [];
  for (const path of ["/api/v1", ...versions]) {
    const { status, json } = await client.send("GET", path);
    if (status === 404) continue;
    const { resources } = json as { resources: readonly { name: string; verbs: readonly string[] }[] };
    for (const { name, verbs } of resources) {
      if (!name.includes("/") && verbs.includes("list") && verbs.includes("delete"))
        collections.push(`${path}/${name}`);
    }
  }
  // Namespaces last: they go when they are empty.
  return collections.toSorted((a, b) => Number(a.endsWith("/namespaces")) - Number(b.endsWith("/namespaces")));
}

async function remove(client: Http2Client, collection: string, { metadata }: Item): Promise<void> {
  const { name, namespace, finalizers = [] } = metadata;
  const at = collection.lastIndexOf("/");
  const inside = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const path = `${collection.slice(0, at)}${inside}${collection.slice(at)}/${encodeURIComponent(name)}`;
  if (finalizers.length > 0) {
    const patch = { "content-type": "application/merge-patch+json" };
    await client.send("PATCH", path, { metadata: { finalizers: null } }, patch);
  }
  await client.send("DELETE", `${path}?gracePeriodSeconds=0`);
}
