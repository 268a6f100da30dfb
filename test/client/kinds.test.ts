/** The kinds of `keelson/kinds`, and what TypeScript makes of kinds. */
import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  type ApiObject,
  type Client,
  type Key,
  type Kind,
  defineKind,
  kindOfCrd,
  kindOfType,
  metadataOf,
} from "../../src/client/index.ts";
import * as kinds from "../../src/client/kinds/index.ts";
import { ConfigMap, type Lease, type Pod, StorageClass, neutral } from "../../src/client/kinds/index.ts";
import { kindFiles } from "../../tools/kinds/files.ts";

test.each([...kindFiles()])("%s is what npm run kinds makes", (path, text) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(text);
});

test("built-in kinds are small values with the names of Kubernetes; the neutral dialect has groups of its own", () => {
  expect(StorageClass).toEqual({
    group: "storage.k8s.io",
    version: "v1",
    kind: "StorageClass",
    plural: "storageclasses",
    scope: "Cluster",
  });
  expect([neutral(StorageClass).group, neutral(ConfigMap).group]).toEqual(["storage.svc.io", ""]);
  const names = Object.values(kinds).flatMap((kind) =>
    typeof kind === "object" ? [`${kind.group}/${kind.version}/${kind.kind}`] : [],
  );
  expect(new Set(names).size).toBe(names.length);
});

const Bucket = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Bucket",
  plural: "buckets",
  scope: "Namespaced",
  spec: {
    type: "object",
    required: ["region"],
    properties: {
      region: { type: "string", enum: ["eu", "us"] },
      size: { "x-kubernetes-int-or-string": true },
      copies: { type: "integer", default: 1 },
      tags: { type: "object", additionalProperties: { type: "string" } },
      rules: { type: "array", items: { type: "object", properties: { days: { type: "number", nullable: true } } } },
    },
  },
  status: { type: "object", properties: { url: { type: "string" } } },
});
type Bucket = typeof Bucket extends Kind<infer T> ? T : never;

const widgets = {
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", required: ["size"], properties: { size: { type: "integer" } } } },
          },
        },
      },
    ],
  },
} as const;

describe("a kind of one's own", () => {
  test("from const schemas knows its members: required and defaulted ones are there, the rest is optional", () => {
    expect(Bucket).toMatchObject({ plural: "buckets", scope: "Namespaced", definition: { spec: { type: "object" } } });
    expectTypeOf<Bucket["spec"]["region"]>().toEqualTypeOf<"eu" | "us">();
    expectTypeOf<Bucket["spec"]["copies"]>().toEqualTypeOf<number>();
    expectTypeOf<Bucket["spec"]["size"]>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<NonNullable<Bucket["spec"]["rules"]>[number]["days"]>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<NonNullable<Bucket["status"]>["url"]>().toEqualTypeOf<string | undefined>();
  });

  test("from a custom resource definition, for a version that it has", () => {
    const Widget = kindOfCrd(widgets, "v1");
    expect(Widget).toEqual({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Cluster",
    });
    expectTypeOf<typeof Widget extends Kind<infer T> ? T : never>().toExtend<{
      readonly spec?: { readonly size: number };
    }>();
    // @ts-expect-error: no such version
    expect(() => kindOfCrd(widgets, "v2")).toThrow("expected widgets.example.com to have version v2, it has v1");
  });

  test("from a type that a generator wrote", () => {
    interface Gadget extends ApiObject {
      readonly spec: { readonly colour: string };
    }
    const Gadget = kindOfType<Gadget>()({
      group: "example.com",
      version: "v1",
      kind: "Gadget",
      plural: "gadgets",
      scope: "Cluster",
    });
    expect(Gadget.plural).toBe("gadgets");
    expectTypeOf(Gadget).toEqualTypeOf<Kind<Gadget, "Cluster">>();
  });
});

/** Nothing here runs: it compiles, or does not. */
export function compiles(client: Client, lease: Lease): void {
  // @ts-expect-error: objects of a namespace need one
  void client.resource(ConfigMap).get({ name: "x" });
  // @ts-expect-error: objects of the cluster have none
  void client.resource(StorageClass).get({ name: "x", namespace: "y" });
  const bare = client.resource(metadataOf(kinds.Pod)).get({ name: "x", namespace: "y" });
  // @ts-expect-error: only metadata is known
  void bare.then((pod) => pod.spec);
  // @ts-expect-error: what is read is shared, and not changed in place
  lease.spec.holderIdentity = "me";
  // @ts-expect-error: no such region
  void client.resource(Bucket).create({ metadata: { name: "b", namespace: "n" }, spec: { region: "mars" } });
  void client.resource(Bucket).apply({ metadata: { name: "b" }, spec: { copies: 2 } }, { fieldManager: "me" });
  expectTypeOf<Pod["spec"]["nodeName"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Key<"Cluster">["namespace"]>().toEqualTypeOf<undefined>();
}
