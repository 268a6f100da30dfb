/** Whether an owner may take over objects. */
import { type ApiObject, type Client, type Kind, keyOf } from "../../client/index.ts";

/**
 * Whether an owner exists and is not being deleted, read from the server: memory may be behind, and objects that a deleted owner adopted
 * would be garbage-collected with it (WL-GEN-1).
 */
export async function mayAdopt<T extends ApiObject>(
  client: Client,
  kind: Kind<T, "Namespaced">,
  owner: T,
): Promise<boolean> {
  const found = await client.resource(kind).find(keyOf<"Namespaced">(owner));
  return found?.metadata.uid === owner.metadata.uid && found.metadata.deletionTimestamp === undefined;
}
