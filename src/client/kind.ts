/**
 * A kind as a value: where its objects are, what they are called and, for TypeScript, what they look like.
 *
 * A client, an informer and a controller take a kind and know everything from it. Built-in kinds come from
 * `keelson/kinds`; kinds of one's own from {@link defineKind}, {@link kindOfCrd} or {@link kindOfType}.
 *
 *     const Bucket = defineKind({
 *       group: "example.com", version: "v1", kind: "Bucket", plural: "buckets", scope: "Namespaced",
 *       spec: { type: "object", required: ["region"], properties: { region: { enum: ["eu", "us"] } } },
 *     });
 *     const bucket = await client.resource(Bucket).get({ namespace: "default", name: "b" }); // bucket.spec.region
 *
 * @module
 */
import type { ObjectMeta } from "./kinds/types.ts";
import type { FromSchema, Schema } from "./schema-types.ts";

/** Whether objects of a kind lie in namespaces. */
export type Scope = "Namespaced" | "Cluster";

/** The name of an object among all of its kind; where the scope is not known, the namespace may be there. */
export type Key<S extends Scope = Scope> = [S] extends ["Namespaced"]
  ? { readonly namespace: string; readonly name: string }
  : [S] extends ["Cluster"]
    ? { readonly name: string; readonly namespace?: undefined }
    : { readonly name: string; readonly namespace?: string | undefined };

/** An object as it is stored: its name, uid and resourceVersion are there. Never changed in place. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind of which only the names are known. */
export interface UntypedObject extends ApiObject {
  readonly [member: string]: unknown;
}

/** Carries the type of the objects; never there at run time. */
declare const objectType: unique symbol;

/** A kind. */
export interface Kind<T extends ApiObject = ApiObject, S extends Scope = Scope> {
  /** The API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: S;
  /** Only metadata is asked for: {@link metadataOf}. */
  readonly metadataOnly?: boolean;
  /** What the kind was made from, where it was made by {@link defineKind}. */
  readonly definition?: KindDefinition;
  readonly [objectType]?: T;
}

/** The names and schemas of a kind of one's own. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly spec?: Schema;
  readonly status?: Schema;
}

/** A custom resource definition, as far as types are read from it. */
export interface Crd {
  readonly spec: {
    readonly group: string;
    readonly scope: Scope;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** The type of the objects of a {@link KindDefinition}. */
export type ObjectOf<D> = ApiObject &
  (D extends { readonly spec: infer S } ? { readonly spec: FromSchema<S> } : unknown) &
  (D extends { readonly status: infer S } ? { readonly status?: FromSchema<S> } : unknown);

/** The type of the objects of one version of a {@link Crd}. */
export type CrdObject<C extends Crd, V> = ApiObject &
  Omit<
    FromSchema<Extract<C["spec"]["versions"][number], { readonly name: V }>["schema"]["openAPIV3Schema"]>,
    "apiVersion" | "kind" | "metadata"
  >;

/** The type of the objects of a kind, or of one of several kinds. */
export type ObjectIn<K extends Kind> = K extends Kind<infer T, Scope> ? T : never;

/** The scope of the objects of a kind, or of one of several kinds. */
export type ScopeIn<K extends Kind> = K extends { readonly scope: infer S extends Scope } ? S : never;

/** A kind by the names that manifests have for it. */
export interface KindName {
  /** `v1`, or `storage.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** All members optional, all the way down. */
type Deep<T> = T extends readonly (infer I)[]
  ? readonly Deep<I>[]
  : T extends object
    ? { readonly [M in keyof T]?: Deep<T[M]> }
    : T;

/** What an object has beside what its kind and its metadata say; members that are known stay so beside unknown ones. */
type PartialContent<T> = Deep<{ readonly [M in keyof T as Exclude<M, "apiVersion" | "kind" | "metadata">]: T[M] }>;

/** An intent for an apply: the name, and what the one who applies cares for. */
export type ApplyConfiguration<T> = PartialContent<T> & {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
};

/** An object that is to be created. */
export type NewObject<T> = PartialContent<T> & {
  readonly metadata: Partial<ObjectMeta> & ({ readonly name: string } | { readonly generateName: string });
};

/**
 * A merge patch (RFC 7386): the members that change; null takes one away, a list is replaced as a whole.
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? Deep<T>
  : T extends object
    ? { readonly [M in keyof T]?: MergePatch<T[M]> | null }
    : T;

/**
 * A strategic merge patch: as a merge patch, but lists with keys are merged item by item, and directives such as `$patch` and
 * `$setElementOrder/containers` say how.
 */
export type StrategicPatch<T> = T extends readonly (infer I)[]
  ? readonly StrategicPatch<I>[]
  : T extends object
    ? { readonly [M in keyof T]?: StrategicPatch<T[M]> | null } & Directives<T>
    : T;

/** What a strategic merge patch says of the members of a struct. */
type Directives<T> = string extends keyof T
  ? unknown
  : {
      readonly $patch?: "replace" | "merge" | "delete";
      readonly $retainKeys?: readonly string[];
    } & {
      readonly [
        M in keyof T & string as `${"$setElementOrder" | "$deleteFromPrimitiveList"}/${M}`
      ]?: readonly unknown[];
    };

/** One operation of a JSON patch (RFC 6902); paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** The status of an object as a writer of it sees it: all members optional. */
export type StatusOf<T> = T extends { readonly status?: infer V } ? Deep<NonNullable<V>> : never;

/** A kind of one's own from its names and `const` schemas; the type of its objects follows from the schemas. */
export function defineKind<const D extends KindDefinition>(definition: D): Kind<ObjectOf<D>, D["scope"]> {
  return { ...namesOf(definition), definition };
}

/** The kind of one version of a custom resource definition that is written `as const`. @throws when it has no such version */
export function kindOfCrd<const C extends Crd, const V extends C["spec"]["versions"][number]["name"]>(
  { spec: { group, scope, names, versions } }: C,
  version: V,
): Kind<CrdObject<C, V>, C["spec"]["scope"]> {
  if (versions.some(({ name }) => name === version)) return { group, version, ...namesIn(names), scope };
  const known = versions.map(({ name }) => name).join(", ");
  throw new Error(`expected ${names.plural}.${group} to have version ${version}, it has ${known}`);
}

const namesIn = ({ kind, plural }: Crd["spec"]["names"]): { kind: string; plural: string } => ({ kind, plural });

/** A kind from the type of its objects, where a generator wrote it: `kindOfType<Widget>()({ group: ... })`. */
export const kindOfType =
  <T extends ApiObject>() =>
  <const R extends KindDefinition>(names: R): Kind<T, R["scope"]> =>
    namesOf(names);

const namesOf = <S extends Scope>({
  group,
  version,
  kind,
  plural,
  scope,
}: KindDefinition & { readonly scope: S }): Kind<never, S> => ({ group, version, kind, plural, scope });

/** The same kind with objects of which only the metadata is there; the server sends no more (PartialObjectMetadata). */
export const metadataOf = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<ApiObject, S> => ({
  ...namesOf(kind),
  metadataOnly: true,
});

/**
 * A built-in kind as a server of the neutral dialect has it: its group ends with `svc.io` in place of `k8s.io`. The
 * members of volume sources that carry a vendor's name are called otherwise there.
 */
export const neutral = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<T, S> => inDomain(kind, "svc.io");

/** A built-in kind as a server has it whose groups end with another domain. */
export const inDomain = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>, domain: string): Kind<T, S> => ({
  ...kind,
  group: kind.group.replace(/\bk8s\.io$/, domain),
});

/** `v1`, or `storage.k8s.io/v1`. */
export const apiVersionOf = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** How a kind is told in messages: `pods`, `leases.coordination.k8s.io`. */
export const nameOfKind = ({ group, plural }: Pick<Kind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;

/** A kind as discovery tells of it. */
export interface ServedKind extends Kind<UntypedObject> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The verbs of each subresource. */
  readonly subresources: ReadonlyMap<string, readonly string[]>;
}

/** The key of an object. */
export const keyOf = <S extends Scope>({ metadata: { namespace, name } }: ApiObject): Key<S> =>
  (namespace === undefined || namespace === "" ? { name } : { namespace, name }) as Key<S>;

/** A key as text: `default/web`, or `web` for objects of the cluster. */
export const keyText = ({ namespace, name }: Key): string =>
  namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
