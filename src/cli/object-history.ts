import type { Client } from "../client/client.ts";
import type { ObjectRef } from "../client/objects/history.ts";
import { findKind } from "./find-kind.ts";

/** Finds the kind of an object. */
export async function resolveObject(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  kindName: string,
  name: string,
): Promise<ObjectRef> {
  const kind = await findKind(client, kindName);
  return { client, kind, name, namespace: kind.scope === "Namespaced" ? namespace : undefined };
}
