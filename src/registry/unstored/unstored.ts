/**
 * The base of resources whose objects are not stored: verbs that are not overridden are refused.
 *
 * @module
 */
import { methodNotAllowed } from "../../meta/status.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import type { Resource } from "../contract.ts";

const NOTHING = { objects: 0, meanBytes: 0, watchers: 0 };

/** A resource without objects: 405 for every verb. */
export function unstored(definition: ResourceDefinition): Omit<Resource, "object" | "blame" | "parse"> {
  const { group, plural, kind } = definition;
  const refuse = (method: string) => (): Promise<never> =>
    Promise.reject(methodNotAllowed({ group, plural, kind }, method));
  return {
    definition,
    storage: undefined,
    load: () => NOTHING,
    present: () => {
      throw methodNotAllowed({ group, plural, kind }, "watch");
    },
    past: refuse("watch"),
    selector: () => () => true,
    ready: () => undefined,
    ask: refuse("create"),
    connect: refuse("connect"),
    create: refuse("create"),
    get: refuse("get"),
    list: refuse("list"),
    watch: refuse("watch"),
    update: refuse("update"),
    patch: refuse("patch"),
    delete: refuse("delete"),
    deleteCollection: refuse("deletecollection"),
    history: refuse("history"),
    view: (entry) => entry.bytes,
    itemOffset: 0,
    bookmark: {},
  };
}
