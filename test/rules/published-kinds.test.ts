/** What the documents of OpenAPI say of custom kinds and of operations: CRD-26, CRD-31. */
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../src/meta/dialect.ts";
import { fresh, serve } from "./api.ts";
import { type Json, serveKind } from "./custom-kind.ts";

interface Document {
  readonly paths: Readonly<Record<string, Record<string, unknown>>>;
  readonly definitions: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** The names of all operations. */
const idsOf = ({ paths }: Document): string[] =>
  Object.values(paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method] ? [(item[method] as { operationId: string }).operationId] : [])),
  );

describe.each([kubernetes, neutral])("the $name dialect", (dialect) => {
  const api = serve({ dialect: dialect.name });

  test("no two operations of all built-in and custom kinds have one name", async () => {
    const stem = fresh("g");
    await serveKind(api, { group: `${stem}.x.org` });
    await serveKind(api, { group: `${stem}.y.org` });
    const ids = idsOf((await api.get("/openapi/v2")).body as unknown as Document);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(ids.length).toBeGreaterThan(500);
  });

  test("names and tags of operations have the whole group, and leave out the domain of built-in groups", async () => {
    const group = "storage.my-team.example.com";
    await serveKind(api, { group });
    const family = "storageMyTeamExampleCom";
    const { paths } = (await api.get(`/openapi/v3/apis/${group}/v1`)).body as unknown as Document;
    const item = paths[`/apis/${group}/v1/namespaces/{namespace}/things`];
    expect(item!["post"]).toMatchObject({
      operationId: "createStorageMyTeamExampleComV1NamespacedThing",
      tags: [`${family}_v1`],
    });
    for (const [version, plural, id, tag] of [
      ["rbac.authorization.k8s.io/v1", "clusterroles", "listRbacAuthorizationV1ClusterRole", "rbacAuthorization_v1"],
      [`storage.${dialect.domain}/v1`, "csidrivers", "listStorageV1CSIDriver", "storage_v1"],
    ] as const) {
      const built = (await api.get(`/openapi/v3/apis/${version}`)).body as unknown as Document;
      expect(built.paths[`/apis/${version}/${plural}`]!["get"]).toMatchObject({ operationId: id, tags: [tag] });
    }
  });
});

describe("custom kinds", () => {
  const api = serve({ dialect: "kubernetes" });

  /** The published object of a kind, and its list. */
  async function published(schema: Json, more: Json = {}) {
    const { group } = await serveKind(api, { schema, more });
    const name = `${group.split(".").toReversed().join(".")}.v1.Thing`;
    const v3 = (await api.get(`/openapi/v3/apis/${group}/v1`)).body as unknown as Document;
    const v2 = (await api.get("/openapi/v2")).body as unknown as Document;
    const { schemas } = v3.components;
    return {
      gvk: [{ group, version: "v1", kind: "Thing" }],
      v3: { object: schemas[name]!, list: schemas[`${name}List`]! },
      v2: { object: v2.definitions[name]!, list: v2.definitions[`${name}List`]! },
    };
  }

  test("CRD-26, CRD-31: fields that one can select by are published, with the kind and with its list", async () => {
    const schema = { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } };
    const { v3, v2 } = await published(schema, { selectableFields: [{ jsonPath: ".spec.a" }] });
    for (const said of [v3.object, v3.list, v2.object, v2.list]) {
      expect(said["x-kubernetes-selectable-fields"]).toEqual([{ fieldPath: "spec.a" }]);
    }
    expect((await published(schema)).v3.object).not.toHaveProperty(["x-kubernetes-selectable-fields"]);
  });

  test("CRD-31: metadata of custom kinds has no default", async () => {
    const { v3 } = await published({ type: "object" });
    for (const { properties } of [v3.object, v3.list] as { properties: Json }[]) {
      expect(Object.keys(properties["metadata"] as object).toSorted()).toEqual(["allOf", "description"]);
    }
  });

  test("CRD-31: of a kind whose root keeps unknown members v2 says that it is an object, and what kind it is", async () => {
    const schema = { type: "object", description: "A thing.", "x-kubernetes-preserve-unknown-fields": true };
    const { v3, v2, gvk } = await published(schema);
    expect(v2.object).toEqual({ type: "object", "x-kubernetes-group-version-kind": gvk });
    expect(v3.object).toMatchObject({ description: "A thing.", properties: { metadata: {} } });
  });
});
