/**
 * A registry for tests of the server: a map of objects, writes without rules, watches without history.
 *
 * @module
 */
import type { ApiObject, Column, ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import { alreadyExists, deleted, notFound, success } from "../../meta/status.ts";
import { map, optional, text } from "../../meta/types.ts";
import type { Registry, Resource, Target, WriteResult } from "../../registry/contract.ts";
import type { Entry, WatchBatch, WatchEvent, WatchSink } from "../../registry/index.ts";

interface FakeEntry extends Entry {
  readonly object: ApiObject;
}

/** A resource whose calls can be looked at. */
export interface FakeResource extends Resource {
  /** What the verbs were called with, in order: verb, then arguments. */
  readonly calls: unknown[][];
  /** Stores an object without a request. */
  put(object: ApiObject): void;
  /** Hands a batch to every watcher. */
  emit(events: readonly WatchEvent[], initialEnd?: boolean): void;
  entry(namespace: string, name: string): Entry;
  readonly sinks: Set<WatchSink>;
}

/** A registry of fake resources. */
export interface FakeRegistry extends Registry {
  readonly byPlural: Readonly<Record<string, FakeResource>>;
}

let revision = 100;

/** The definitions that tests use. */
export const definitionOf = (
  over: Partial<ResourceDefinition> & { plural: string; kind: string },
): ResourceDefinition => ({
  group: "",
  version: "v1",
  singular: over.kind.toLowerCase(),
  scope: "Namespaced",
  description: `A ${over.kind} for tests.`,
  schema: objectSchema("An object for tests.", { data: optional(map(text(), "Texts.")) }),
  deleteAnswers: "status",
  ...over,
});

const dataColumn: Column = {
  name: "Data",
  type: "integer",
  description: "How many texts there are.",
  cell: (object) => Object.keys((object["data"] as object | undefined) ?? {}).length,
};

/** A registry with ConfigMaps, Namespaces, Widgets (with a status) and a kind that is only created. */
export function fakeRegistry(): FakeRegistry {
  const resources = [
    fakeResource(definitionOf({ plural: "configmaps", kind: "ConfigMap", shortNames: ["cm"], columns: [dataColumn] })),
    fakeResource(
      definitionOf({
        plural: "namespaces",
        kind: "Namespace",
        scope: "Cluster",
        subresources: { status: { verbs: ["get", "update", "patch"] } },
      }),
    ),
    fakeResource(
      definitionOf({
        group: "example.com",
        plural: "widgets",
        kind: "Widget",
        scope: "Cluster",
        deleteAnswers: "object",
        deprecated: "example.com/v1 Widget is deprecated",
        subresources: { status: { verbs: ["get", "update", "patch"] } },
      }),
    ),
    fakeResource(
      definitionOf({ group: "example.com", plural: "reviews", kind: "Review", scope: "Cluster", verbs: ["create"] }),
    ),
  ];
  const groups = [...new Set(resources.map((r) => r.definition.group))].map((group) => {
    const mine = resources.filter((r) => r.definition.group === group);
    return { group, versions: [{ version: "v1", resources: mine, generation: 1 }] };
  });
  return {
    resources,
    generation: 1,
    groups: () => groups,
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
    get revision() {
      return revision;
    },
    byPlural: Object.fromEntries(resources.map((r) => [r.definition.plural, r])),
    find: (group, version, plural) =>
      resources.find(({ definition: d }) => d.group === group && d.version === version && d.plural === plural),
    hasGroup: (group, version) =>
      resources.some(({ definition: d }) => d.group === group && (version === undefined || d.version === version)),
  };
}

function entryOf(object: ApiObject): FakeEntry {
  const version = ++revision;
  const { kind, apiVersion, metadata, ...rest } = object;
  const whole = { kind, apiVersion, metadata: { resourceVersion: String(version), ...metadata }, ...rest };
  return {
    key: `${metadata.namespace ?? ""}/${metadata.name}`,
    revision: version,
    bytes: Buffer.from(JSON.stringify(whole)),
    labels: metadata.labels ?? {},
    memo: new Map(),
    object: whole,
  };
}

/** A resource over a map. */
export function fakeResource(definition: ResourceDefinition): FakeResource {
  const entries = new Map<string, FakeEntry>();
  const calls: unknown[][] = [];
  const sinks = new Set<WatchSink>();
  const ref = { group: definition.group, plural: definition.plural, kind: definition.kind };
  const need = ({ namespace, name }: Pick<Target, "namespace" | "name">): FakeEntry => {
    const entry = entries.get(`${namespace}/${name}`);
    if (!entry) throw notFound(ref, name);
    return entry;
  };
  const result = (entry: FakeEntry, code: 200 | 201): WriteResult => ({
    bytes: entry.bytes,
    code,
    object: entry.object,
    changed: true,
    warnings: [],
  });
  const emit = (events: readonly WatchEvent[], initialEnd = false): void => {
    const batch: WatchBatch = { events, revision, initialEnd, memo: new Map() };
    for (const sink of sinks) sink.deliver(batch);
  };
  const store = (object: ApiObject, type: "ADDED" | "MODIFIED"): FakeEntry => {
    const entry = entryOf(object);
    entries.set(entry.key, entry);
    emit([{ type, entry }]);
    return entry;
  };
  const bodyObject = (value: unknown, target: Target): ApiObject => {
    const object = { apiVersion: "v1", kind: definition.kind, metadata: {}, ...(value as object) } as ApiObject;
    const place = target.namespace === "" ? {} : { namespace: target.namespace };
    object.metadata = { ...place, ...(target.name ? { name: target.name } : {}), ...object.metadata };
    return object;
  };
  return {
    definition,
    storage: definition,
    calls,
    sinks,
    put: (object) => void store(object, "ADDED"),
    emit,
    entry: (namespace, name) => need({ namespace, name }),
    async get(target, options) {
      calls.push(["get", target, options]);
      return need(target);
    },
    async list(namespace, options) {
      calls.push(["list", namespace, options]);
      const all = [...entries.values()].filter(({ key }) => namespace === "" || key.startsWith(`${namespace}/`));
      const page = options.limit > 0 ? all.slice(0, options.limit) : all;
      const more = page.length < all.length;
      return {
        entries: page,
        revision,
        continue: more ? "next" : "",
        remaining: more ? all.length - page.length : undefined,
      };
    },
    async watch(namespace, options, sink) {
      calls.push(["watch", namespace, options]);
      sinks.add(sink);
      const events = [...entries.values()].map((entry) => ({ type: "ADDED" as const, entry }));
      if (options.resourceVersion === "" || options.resourceVersion === "0") {
        queueMicrotask(() => sink.deliver({ events, revision, initialEnd: true, memo: new Map() }));
      }
      return {
        watch: {
          get revision() {
            return revision;
          },
          live: true,
          close: () => void sinks.delete(sink),
        },
        selection: { id: "", prefix: "" },
      };
    },
    async create(target, body, options, caller) {
      calls.push(["create", target, body, options, caller]);
      const object = bodyObject(body.value, target);
      if (entries.has(`${object.metadata.namespace ?? ""}/${object.metadata.name}`)) {
        throw alreadyExists(ref, object.metadata.name ?? "");
      }
      return { ...result(store(object, "ADDED"), 201), warnings: body.duplicates.map((path) => `duplicate "${path}"`) };
    },
    async update(target, body, options, caller) {
      calls.push(["update", target, body, options, caller]);
      need(target);
      return result(store(bodyObject(body.value, target), "MODIFIED"), 200);
    },
    async patch(target, body, options, caller) {
      calls.push(["patch", target, body, options, caller]);
      return result(need(target), 200);
    },
    async delete(target, options, caller) {
      calls.push(["delete", target, options, caller]);
      const entry = need(target);
      entries.delete(entry.key);
      emit([{ type: "DELETED", entry }]);
      if (definition.deleteAnswers === "object") return result(entry, 200);
      return { status: deleted(ref, target.name, "uid"), code: 200, changed: true, warnings: [] };
    },
    async deleteCollection(namespace, list, options, caller) {
      calls.push(["deleteCollection", namespace, list, options, caller]);
      return { status: success(ref), changed: true, warnings: [] };
    },
    view: (entry) => entry.bytes,
    itemOffset: 0,
    blank: {},
    object: (entry) => (entry as FakeEntry).object,
    history: () => Promise.reject(new Error("this registry has no past")),
    blame: (entry) => ({
      kind: "Blame",
      apiVersion: "keelson.dev/v1",
      object: { apiVersion: "v1", kind: definition.kind, name: (entry as FakeEntry).object.metadata.name ?? "" },
      leaves: [],
      containers: [],
      absent: [],
    }),
  };
}
