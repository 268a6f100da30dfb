/**
 * The OpenAPI documents of the server, as far as commands read them: the schema of a kind, and how its members are patched.
 *
 * @module
 */
import type { ServedKind } from "../../../src/client/kind.ts";
import { type Api, STRATEGIC } from "./api.ts";

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A schema, as far as commands read it. */
export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** The schemas of a document by name. */
export type Schemas = Readonly<Record<string, Schema>>;

interface Patch {
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly patch?: Patch }>>;
  readonly components: { readonly schemas: Schemas };
}

/** What a document says of a kind. */
export interface KindSchema {
  /** Undefined where the document has no schema of it. */
  readonly root: Schema | undefined;
  readonly schemas: Schemas;
  /** Whether the server takes strategic merge patches of it: custom resources have none. */
  readonly isStrategic: boolean;
}

/** Reads what the server publishes of a kind. @throws ApiFailure */
export async function readKindSchema(api: Api, kind: ServedKind): Promise<KindSchema> {
  const path = kind.group === "" ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  const { paths, components } = await api.json<Document>("GET", `/openapi/v3/${path}`);
  const isOf = (one: GroupVersionKind | undefined): boolean =>
    one?.group === kind.group && one.version === kind.version && one.kind === kind.kind;
  const root = Object.values(components.schemas).find((schema) =>
    schema["x-kubernetes-group-version-kind"]?.some(isOf),
  );
  const patch = Object.values(paths).find((one) => isOf(one.patch?.["x-kubernetes-group-version-kind"]))?.patch;
  const isStrategic = Object.hasOwn(patch?.requestBody?.content ?? {}, STRATEGIC);
  return { root, schemas: components.schemas, isStrategic };
}

/** The schema that a schema refers to; itself where it refers to none. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref === undefined ? schema : (schemas[ref.slice(ref.lastIndexOf("/") + 1)] ?? schema);
}
