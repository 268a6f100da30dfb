/**
 * Kinds that can be read and are not stored: the server makes their objects for each read. They support only `get` and `list`.
 *
 * @module
 */
import type { Entry } from "../../cache/index.ts";
import { parseFieldSelector, parseLabelSelector } from "../../meta/selectors.ts";
import { badRequest, methodNotAllowed, notFound } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { decodeObject, encodeObject, headOf } from "../versions/codec.ts";
import type { ListOptions, Resource } from "../contract.ts";
import type { AskedObjects, SharedParts } from "../kind/kind.ts";
import { actionKey } from "../kind/action.ts";
import { unstored } from "./unstored.ts";

/** The resource of a kind whose objects are made for each read; without a maker it has none. */
export function shownResource(definition: ResourceDefinition, shared: SharedParts): Resource {
  const { group, version, plural, kind } = definition;
  const ref = { group, plural, kind };
  const apiVersion = apiVersionOf(group, version);
  const { itemsCarryKind } = shared.api.dialect.rules;
  const namespaced = definition.scope === "Namespaced";
  const entries = async (asked: AskedObjects): Promise<Entry[]> => {
    const made = (await shared.shown?.get(actionKey(definition))?.(asked)) ?? [];
    return made
      .filter(({ metadata }) => asked.namespace === "" || metadata.namespace === asked.namespace)
      .map((object) => entryOf({ ...object, kind, apiVersion }, namespaced))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };
  const none = (): never => {
    throw methodNotAllowed(ref, "get");
  };
  return {
    ...unstored(definition),
    async get({ namespace, name }) {
      const wanted = namespaced ? `${namespace}/${name}` : name;
      const found = (await entries({ namespace, name })).find(({ key }) => key === wanted);
      if (!found) throw notFound(ref, name);
      return found;
    },
    async list(namespace, options) {
      const wanted = testOf(plural, options);
      return {
        entries: (await entries({ namespace, name: undefined })).filter(wanted),
        revision: shared.cacher.revision,
        continue: "",
        remaining: undefined,
      };
    },
    itemOffset: itemsCarryKind ? 0 : headOf(kind, apiVersion).length - '"metadata":{'.length,
    object: (entry) => decodeObject(entry.bytes),
    parse: (entry) => decodeObject(entry.bytes),
    blame: none,
  };
}

const entryOf = (object: ApiObject, namespaced: boolean): Entry => ({
  key: namespaced ? `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}` : (object.metadata.name ?? ""),
  revision: 0,
  bytes: encodeObject(object),
  labels: object.metadata.labels ?? {},
});

const FIELDS: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

/** The entries that a list selects; 400 for a selector that cannot be read, and for a field other than the name. */
function testOf(plural: string, { labelSelector, fieldSelector }: ListOptions): (entry: Entry) => boolean {
  const labels = parseLabelSelector(labelSelector);
  const { fields } = parseFieldSelector(fieldSelector);
  for (const [field] of fields) {
    if (FIELDS.has(field)) continue;
    throw badRequest(`expected metadata.name as a field of ${plural}, got ${JSON.stringify(field.slice(0, 200))}`);
  }
  const valueOf = (field: string, key: string): string => {
    const slash = key.indexOf("/");
    return field === "metadata.name" ? key.slice(slash + 1) : key.slice(0, Math.max(slash, 0));
  };
  return ({ key, labels: has }) =>
    labels.matches(has) && [...fields].every(([field, test]) => test.accepts(valueOf(field, key)));
}
