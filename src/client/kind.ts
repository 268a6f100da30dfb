/**
 * A kind as a value: the path and the names of its objects and, for TypeScript, their type.
 *
 * Clients, informers and controllers take a kind. Built-in kinds come from `keelson/kinds`; custom kinds from {@link
 * defineKind}, {@link kindOfCrd} or {@link kindOfType}.
 *
 *     const Bucket = defineKind({
 *       group: "example.com", version: "v1", kind: "Bucket", plural: "buckets", scope: "Namespaced",
 *       spec: { type: "object", required: ["region"], properties: { region: { enum: ["eu", "us"] } } },
 *     });
 *     const bucket = await client.resource(Bucket).get({ namespace: "default", name: "b" }); // bucket.spec.region
 */
import type { ObjectMeta } from "./kinds/types.ts";
import type { FromSchema, Schema } from "./schema-types.ts";

/** The scope of a kind. */
export type Scope = "Namespaced" | "Cluster";

/** The key of an object in its kind; where the scope is unknown, it may have a namespace. */
export type Key<S extends Scope = Scope> = [S] extends ["Namespaced"]
  ? { readonly namespace: string; readonly name: string }
  : [S] extends ["Cluster"]
    ? { readonly name: string; readonly namespace?: undefined }
    : { readonly name: string; readonly namespace?: string | undefined };

/** A stored object. It is never changed in place. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind without a type. */
export interface UntypedObject extends ApiObject {
  readonly [member: string]: unknown;
}

/** Carries the type of the objects; absent at run time. */
declare const objectType: unique symbol;

/** A kind. */
export interface Kind<T extends ApiObject = ApiObject, S extends Scope = Scope> {
  /** The API group, "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: S;
  /** Whether objects contain only metadata: {@link metadataOf}. */
  readonly metadataOnly?: boolean;
  /** The argument of {@link defineKind}. */
  readonly definition?: KindDefinition;
  readonly [objectType]?: T;
}

/** The names and schemas of a custom kind. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly spec?: Schema;
  readonly status?: Schema;
}

/** A CustomResourceDefinition, as far as types follow from it. */
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

type Deep<T> = T extends readonly (infer I)[]
  ? readonly Deep<I>[]
  : T extends object
    ? { readonly [M in keyof T]?: Deep<T[M]> }
    : T;

/** The fields of an object besides its kind and metadata, all optional. */
type PartialContent<T> = Deep<{ readonly [M in keyof T as Exclude<M, "apiVersion" | "kind" | "metadata">]: T[M] }>;

/** A configuration for an apply: the name, and the fields to own. */
export type ApplyConfiguration<T> = PartialContent<T> & {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
};

/** An object to create. */
export type NewObject<T> = PartialContent<T> & {
  readonly metadata: Partial<ObjectMeta> & ({ readonly name: string } | { readonly generateName: string });
};

/** A merge patch (RFC 7386): null removes a field, and a list is replaced as a whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? Deep<T>
  : T extends object
    ? { readonly [M in keyof T]?: MergePatch<T[M]> | null }
    : T;

/**
 * A strategic merge patch: lists with keys are merged by item; directives such as `$patch` and
 * `$setElementOrder/containers` control it.
 */
export type StrategicPatch<T> = T extends readonly (infer I)[]
  ? readonly StrategicPatch<I>[]
  : T extends object
    ? { readonly [M in keyof T]?: StrategicPatch<T[M]> | null } & Directives<T>
    : T;

/** The directives for the fields of a struct. */
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

/** An operation of a JSON patch (RFC 6902); paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** The status of an object for a writer: all fields are optional. */
export type StatusOf<T> = T extends { readonly status?: infer V } ? Deep<NonNullable<V>> : never;

/** Creates a custom kind from its names and `const` schemas, with the type of its objects. */
export function defineKind<const D extends KindDefinition>(definition: D): Kind<ObjectOf<D>, D["scope"]> {
  return { ...namesOf(definition), definition };
}

/** Creates a kind from a version of a CustomResourceDefinition `as const`. @throws where it has no such version */
export function kindOfCrd<const C extends Crd, const V extends C["spec"]["versions"][number]["name"]>(
  { spec: { group, scope, names, versions } }: C,
  version: V,
): Kind<CrdObject<C, V>, C["spec"]["scope"]> {
  if (versions.some(({ name }) => name === version)) return { group, version, ...namesIn(names), scope };
  const known = versions.map(({ name }) => name).join(", ");
  throw new Error(`expected ${names.plural}.${group} to have version ${version}, it has ${known}`);
}

const namesIn = ({ kind, plural }: Crd["spec"]["names"]): { kind: string; plural: string } => ({ kind, plural });

/** Creates a kind for a generated type: `kindOfType<Widget>()({ group: ... })`. */
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

/** Returns the kind with metadata only (PartialObjectMetadata). */
export const metadataOf = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<ApiObject, S> => ({
  ...namesOf(kind),
  metadataOnly: true,
});

/**
 * Returns a built-in kind in the neutral dialect: its group ends with `svc.io`, not `k8s.io`. Fields of volume sources
 * with a vendor's name have other names there.
 */
export const neutral = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<T, S> => inDomain(kind, "svc.io");

/** Returns a built-in kind with another domain of its group. */
export const inDomain = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>, domain: string): Kind<T, S> => ({
  ...kind,
  group: kind.group.replace(/\bk8s\.io$/, domain),
});

/** `v1`, or `storage.k8s.io/v1`. */
export const apiVersionOf = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** The name of a kind in messages: `pods`, `leases.coordination.k8s.io`. */
export const nameOfKind = ({ group, plural }: Pick<Kind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;

/** A kind from discovery. */
export interface ServedKind extends Kind<UntypedObject> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The verbs of each subresource. */
  readonly subresources: ReadonlyMap<string, readonly string[]>;
}

/** Returns the key of an object. */
export const keyOf = <S extends Scope>({ metadata: { namespace, name } }: ApiObject): Key<S> =>
  (namespace === undefined || namespace === "" ? { name } : { namespace, name }) as Key<S>;

/** Returns the key in a text that {@link keyText} made; names contain no `/`. */
export function parseKey<S extends Scope = "Namespaced">(text: string): Key<S> {
  const at = text.indexOf("/");
  return (at < 0 ? { name: text } : { namespace: text.slice(0, at), name: text.slice(at + 1) }) as Key<S>;
}

/** Returns a key as text: `default/web`, or `web` for cluster-scoped objects. */
export const keyText = ({ namespace, name }: Key): string =>
  namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
