/**
 * Objects that name no class get the one that is marked as the default; of several the newest, then the first by name.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { KeptObjects } from "./kept-objects.ts";

interface DefaultClass {
  readonly name: string;
  readonly created: string;
}

const isBefore = (a: DefaultClass, b: DefaultClass): boolean =>
  a.created === b.created ? a.name < b.name : a.created > b.created;

/** Finds the name of the default class among the objects of a resource (`plural.group`). */
export function defaultClassOf(
  resource: string,
  isDefault: (object: ApiObject) => boolean,
): (lookup: Lookup) => string | undefined | Promise<string | undefined> {
  const read = (object: ApiObject): DefaultClass | undefined =>
    isDefault(object) ? { name: object.metadata.name!, created: object.metadata.creationTimestamp ?? "" } : undefined;
  const kept = new KeptObjects(resource, read);
  return (lookup) => {
    const found = kept.of(lookup);
    return found instanceof Promise ? found.then(firstOf) : firstOf(found);
  };
}

function firstOf(classes: readonly DefaultClass[]): string | undefined {
  let chosen: DefaultClass | undefined;
  for (const found of classes) {
    if (!chosen || isBefore(found, chosen)) chosen = found;
  }
  return chosen?.name;
}
