/**
 * From the selector parameters of a list or watch to what the cache is asked for.
 *
 * @module
 */
import type { Entry, Selection } from "../../cache/index.ts";
import { parseFieldSelector, parseLabelSelector } from "../../meta/selectors.ts";
import { badRequest } from "../../meta/status.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import type { Kind } from "../kind.ts";
import { versionOf } from "../codec.ts";
import { isReady, parseEntry } from "../versions/view.ts";

/** The selection of a namespace (empty: all) and two selectors; 400 for a selector that cannot be read or a field that cannot be selected. */
export function selectionOf(kind: Kind, namespace: string, labelSelector: string, fieldSelector: string): Selection {
  const prefix = kind.namespaced && namespace ? `${namespace}/` : "";
  if (labelSelector === "" && fieldSelector === "") return { id: prefix, prefix };
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const tests: ((entry: Entry) => boolean)[] = [];
  let key: string | undefined;
  for (const { field, operator, value } of fields.terms) {
    if (!selectable(kind, field)) {
      throw badRequest(`expected a field of ${kind.ref.plural} that can be selected, got "${field}"`);
    }
    if (field === "metadata.name" && operator === "=" && (prefix || !kind.namespaced)) key ??= prefix + value;
    tests.push((entry) => (readField(kind, entry, field) === value) === (operator === "="));
  }
  if (labels.text !== "") tests.push((entry) => labels.matches(entry.labels));
  return {
    id: `${prefix}?${labels.text}&${fields.text}&${kind.apiVersion}`,
    prefix,
    ...(key === undefined ? {} : { key }),
    labels: labels.equalityPairs,
    matches: (entry) => tests.every((test) => test(entry)),
  };
}

const selectable = (kind: Kind, field: string): boolean =>
  field === "metadata.name" ||
  field === "metadata.namespace" ||
  Object.hasOwn(kind.definition.selectableFields ?? {}, field);

/** The selectable fields of an entry, as its object in the version of `kind` has them; read once, kept with the entry. */
function fieldsOf(asked: Kind, entry: Entry): Readonly<Record<string, string>> {
  // A selection cannot wait: where the view is not there, the object is read in the version in which it is stored.
  const kind = isReady(asked, entry) ? asked : asked.stored.versions.get(versionOf(entry))!;
  const readers = kind.definition.selectableFields ?? {};
  const key = fieldsKey(kind);
  let values = entry.memo.get(key) as Record<string, string> | undefined;
  if (!values) {
    const object = parseEntry(kind, entry);
    values = Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(object)]));
    entry.memo.set(key, values);
  }
  return values;
}

const fieldsKeys = new WeakMap<ResourceDefinition, object>();

/** What the fields of a version are kept under; it goes with the definition. */
function fieldsKey({ definition }: Kind): object {
  let key = fieldsKeys.get(definition);
  if (!key) fieldsKeys.set(definition, (key = {}));
  return key;
}

/** Name and namespace are read off the key. */
function readField(kind: Kind, entry: Entry, field: string): string {
  const slash = entry.key.indexOf("/");
  if (field === "metadata.name") return entry.key.slice(slash + 1);
  if (field === "metadata.namespace") return slash < 0 ? "" : entry.key.slice(0, slash);
  return fieldsOf(kind, entry)[field] ?? "";
}
