/**
 * From definitions to a registry: which forms are stored, what the cache must keep, what each version serves.
 *
 * @module
 */
import { type Admission, type Lookup, builtInAdmission } from "../admission/index.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../schema/definition.ts";
import type { Authorizer } from "../auth/contract.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import { type CacherOptions, type CacheResource, Cacher } from "../cache/index.ts";
import { hasReason } from "../meta/status.ts";
import type { Store } from "../storage/contract.ts";
import { KeyedLock } from "../util/keyed-lock.ts";
import { ObjectEntry, restamp, withVersion } from "./codec.ts";
import type { Caller, Registry, Resource, WriteOptions } from "./contract.ts";
import { type House, type Kind, type StoredKind, apiVersionOf, kindKey, objectOf, storedKindOf } from "./kind.ts";
import { createRegistry, kindOf, resourceOf } from "./registry.ts";
import { create } from "./verbs/create.ts";
import { createOnly } from "./virtual/create-only.ts";
import { reviews } from "./virtual/reviews.ts";
import { tokenCreate } from "./virtual/token.ts";

/** What a registry is built from. */
export interface RegistryOptions {
  readonly definitions: readonly ResourceDefinition[];
  readonly api: ApiContext;
  readonly store: Store;
  readonly authorizer: Authorizer;
  /** Made when the first token is asked for. */
  readonly signer: () => TokenSigner;
  /** The chain of admission, given the built-in one; that one alone unless told. */
  readonly admission?: (builtIn: Admission, lookup: Lookup) => Admission;
  readonly cache?: Partial<CacherOptions>;
}

/** A registry with the cache under it. */
export interface BuiltRegistry {
  readonly registry: Registry;
  readonly cacher: Cacher;
  /** Reads objects in their stored version, as admission does. */
  readonly lookup: Lookup;
  /** Makes the namespaces that are there from the start. */
  provisionNamespaces(names: readonly string[]): Promise<void>;
}

/** Who writes what the server itself needs. */
export const SYSTEM: Caller = { user: "system:apiserver", groups: ["system:masters"], userAgent: "keelson" };

const SYSTEM_WRITE: WriteOptions = { dryRun: false, fieldManager: "keelson", fieldValidation: "Ignore" };

/** Opens the cache over the store and makes a resource of every definition. */
export async function buildRegistry(options: RegistryOptions): Promise<BuiltRegistry> {
  const { api, store, authorizer } = options;
  const served = options.definitions.filter((d) => d.served !== false);
  const answers = reviews(api, authorizer);
  const isAsked = (d: ResourceDefinition): boolean => Object.hasOwn(answers, d.kind) || d.kind === "TokenRequest";
  const storable = served.filter((d) => !isAsked(d));
  const stored = storedKinds(storable);
  const cacher = await Cacher.open(store, [...stored.values()].map(cacheResource), {
    clock: api.clock,
    ...options.cache,
  });
  const kinds = new Map<string, Kind>();
  const lookup = lookupIn(kinds);
  const builtIn = builtInAdmission(lookup, api.dialect, (name) => provisionNamespace(kinds, name));
  const admission = options.admission?.(builtIn, lookup) ?? builtIn;
  const house: House = { api, store, cacher, admission, locks: new KeyedLock(), kinds };
  for (const definition of storable) {
    const form = stored.get(formOf(definition))!;
    const kind = kindOf(definition, form, cacher.resource(form.prefix), house);
    kinds.set(kindKey(definition.group, definition.version, definition.plural), kind);
  }
  const tokenRequest = served.find((d) => d.kind === "TokenRequest");
  const resources: Resource[] = [...kinds.values()].map((kind) =>
    kind.definition.subresources?.["token"] && tokenRequest
      ? resourceOf(kind, { token: tokenCreate(kind, tokenRequest, lookup, options.signer) })
      : resourceOf(kind),
  );
  for (const definition of served) {
    const review = answers[definition.kind];
    if (review) resources.push(createOnly(definition, api, review));
  }
  return {
    registry: createRegistry(resources, () => cacher.revision),
    cacher,
    lookup,
    async provisionNamespaces(names) {
      const missing = names.filter((name) => !lookup.get("namespaces", "", name));
      await Promise.all(missing.map((name) => provisionNamespace(kinds, name)));
    },
  };
}

/** `plural.group/version` of the form in which a definition is stored. */
const formOf = (d: ResourceDefinition): string => d.storedAs?.definition ?? formName(d);
const formName = (d: ResourceDefinition): string => `${d.plural}.${apiVersionOf(d.group, d.version)}`;

/** The stored kinds by form, with the selectable fields of all versions that are served from each. */
function storedKinds(definitions: readonly ResourceDefinition[]): Map<string, StoredKind> {
  const stored = new Map<string, StoredKind & { fields: Record<string, (object: ApiObject) => string> }>();
  for (const definition of definitions) {
    if (!definition.storedAs) stored.set(formName(definition), { ...storedKindOf(definition), fields: {} });
  }
  for (const definition of definitions) {
    const form = stored.get(formOf(definition));
    if (!form) throw new Error(`Expected ${formOf(definition)} to be served, because ${definition.kind} is stored so`);
    const apiVersion = apiVersionOf(definition.group, definition.version);
    const { storedAs } = definition;
    const view = (object: ApiObject): ApiObject => storedAs?.fromStored(object) ?? object;
    for (const [name, read] of Object.entries(definition.selectableFields ?? {})) {
      form.fields[`${apiVersion}:${name}`] = (object) => read(view(object));
    }
  }
  return stored;
}

const cacheResource = ({ prefix, head, fields }: StoredKind): CacheResource => ({
  prefix,
  factory: (key, value, revision) => new ObjectEntry(key, revision, withVersion(value, head, revision), fields),
  restamp: (entry, revision) => restamp(entry, head, revision, fields),
});

/** Reads objects by `plural.group`, in whatever version is their stored one. */
function lookupIn(kinds: ReadonlyMap<string, Kind>): Lookup {
  const found = new Map<string, Kind>();
  const kindFor = (resource: string): Kind | undefined => {
    let kind = found.get(resource);
    if (kind) return kind;
    const dot = resource.indexOf(".");
    const [plural, group] = dot < 0 ? [resource, ""] : [resource.slice(0, dot), resource.slice(dot + 1)];
    kind = [...kinds.values()].find((k) => k.ref.plural === plural && k.ref.group === group && !k.definition.storedAs);
    if (kind) found.set(resource, kind);
    return kind;
  };
  return {
    get(resource, namespace, name) {
      const kind = kindFor(resource);
      const entry = kind?.cache.get(kind.namespaced ? `${namespace}/${name}` : name);
      return kind && entry && objectOf(kind, entry);
    },
    all(resource) {
      const kind = kindFor(resource);
      if (!kind) return [];
      return kind.cache
        .snapshot()
        .list({ id: "", prefix: "" }, {})
        .entries.map((entry) => objectOf(kind, entry));
    },
  };
}

/** Makes a namespace that a create needs; somebody else may be faster, which is as good (POL-5). */
async function provisionNamespace(kinds: ReadonlyMap<string, Kind>, name: string): Promise<void> {
  const kind = kinds.get(kindKey("", "v1", "namespaces"))!;
  const value = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  try {
    await create(kind, { namespace: "", name: "", subresource: "" }, { value, duplicates: [] }, SYSTEM_WRITE, SYSTEM);
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}
