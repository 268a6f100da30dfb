/**
 * Objects that name no class get the one that is marked as the default; of several the newest, then the first by name.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";

interface DefaultClass {
  readonly name: string;
  readonly created: string;
}

const isBefore = (a: DefaultClass, b: DefaultClass): boolean =>
  a.created === b.created ? a.name < b.name : a.created > b.created;

/** What finds the name of the default class among the objects of a resource (`plural.group`). */
export function defaultClassOf(
  resource: string,
  isDefault: (object: ApiObject) => boolean,
): (lookup: Lookup) => Promise<string | undefined> {
  const read = (object: ApiObject): DefaultClass | undefined =>
    isDefault(object) ? { name: object.metadata.name!, created: object.metadata.creationTimestamp ?? "" } : undefined;
  return async (lookup) => {
    let chosen: DefaultClass | undefined;
    for (const found of await lookup.collect(resource, read)) {
      if (!chosen || isBefore(found, chosen)) chosen = found;
    }
    return chosen?.name;
  };
}
