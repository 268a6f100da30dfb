/**
 * Turns the selector parameters of a list or watch into a selection of the cache.
 *
 * @module
 */
import type { Entry, Selection } from "../../cache/index.ts";
import { parseFieldSelector, parseLabelSelector } from "../../meta/selectors.ts";
import { badRequest } from "../../meta/status.ts";
import type { Kind } from "../kind/kind.ts";
import { madeOf, parseEntry } from "../versions/view.ts";

/** The selection of the cache, and a test that the cache cannot make. */
export interface Selected extends Selection {
  /** Must also hold, once the view of an entry is ready: for kinds whose conversion waits for another server. */
  readonly late?: (entry: Entry) => boolean;
}

/** The selection of a namespace (empty: all) and two selectors; 400 for a selector that cannot be read or a field that cannot be selected. */
export function selectionOf(kind: Kind, namespace: string, labelSelector: string, fieldSelector: string): Selected {
  const prefix = kind.namespaced && namespace ? `${namespace}/` : "";
  if (labelSelector === "" && fieldSelector === "") return { id: prefix, prefix };
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const tests: ((entry: Entry) => boolean)[] = [];
  const late: ((entry: Entry) => boolean)[] = [];
  let key: string | undefined;
  for (const [field, wanted] of fields.fields) {
    if (!selectable(kind, field)) {
      throw badRequest(
        `expected a field of ${kind.ref.plural} that can be selected, got ${JSON.stringify(field.slice(0, 200))}`,
      );
    }
    if (field === "metadata.name" && wanted.only !== undefined && (prefix || !kind.namespaced))
      key = prefix + wanted.only;
    const isOfView = kind.stored.converter.convertAll !== undefined && !isOfKey(field);
    (isOfView ? late : tests).push((entry) => wanted.accepts(readField(kind, entry, field)));
  }
  if (labels.text !== "") tests.push((entry) => labels.matches(entry.labels));
  return {
    id: `${prefix}?${labels.text}&${fields.text}&${kind.apiVersion}`,
    prefix,
    ...(key === undefined ? {} : { key }),
    labels: labels.equalityPairs,
    matches: (entry) => tests.every((test) => test(entry)),
    ...(late.length === 0 ? {} : { late: (entry: Entry) => late.every((test) => test(entry)) }),
  };
}

const isOfKey = (field: string): boolean => field === "metadata.name" || field === "metadata.namespace";

const selectable = (kind: Kind, field: string): boolean =>
  isOfKey(field) || Object.hasOwn(kind.definition.selectableFields ?? {}, field);

/** The selectable fields of an entry, as its object in the version of `kind` has them; read once, kept with the view. */
function fieldsOf(kind: Kind, entry: Entry): Readonly<Record<string, string>> {
  const view = madeOf(kind, entry);
  if (!view.fields) {
    const object = parseEntry(kind, entry);
    const readers = Object.entries(kind.definition.selectableFields ?? {});
    view.fields = Object.fromEntries(readers.map(([name, read]) => [name, read(object)]));
  }
  return view.fields;
}

/** Name and namespace are read from the key. */
function readField(kind: Kind, entry: Entry, field: string): string {
  const slash = entry.key.indexOf("/");
  if (field === "metadata.name") return entry.key.slice(slash + 1);
  if (field === "metadata.namespace") return slash < 0 ? "" : entry.key.slice(0, slash);
  return fieldsOf(kind, entry)[field] ?? "";
}
