/**
 * Custom kinds for tests: `things` of a group of their own.
 *
 * @module
 */
import { expectStatus } from "./answer.ts";
import { type Api, fresh } from "./api.ts";

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Where the objects of a custom kind are. */
export interface ServedKind {
  readonly group: string;
  /** The path of the collection in the namespace `default`. */
  readonly items: string;
  /** An object of this name. */
  body(name: string, more?: Json): Json;
}

/** What a custom kind is made of. */
export interface KindParts {
  readonly group?: string;
  /** The whole schema. */
  readonly schema?: Json;
  /** Goes into the version. */
  readonly more?: Json;
}

/** Serves a kind `Thing`, and resolves when it is established. */
export async function serveKind(api: Api, parts: KindParts): Promise<ServedKind> {
  const { group = `${fresh("g")}.example.com`, schema = { type: "object" }, more = {} } = parts;
  const name = `things.${group}`;
  const made = await api.post(DEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    },
  });
  expectStatus(made, 201);
  await api.until(`/apis/${group}/v1`, ({ status }) => status === 200);
  return {
    group,
    items: `/apis/${group}/v1/namespaces/default/things`,
    body: (called, others = {}) => ({
      apiVersion: `${group}/v1`,
      kind: "Thing",
      metadata: { name: called },
      ...others,
    }),
  };
}
