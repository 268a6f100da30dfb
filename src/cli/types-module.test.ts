import { expect, test } from "vitest";
import { type Definition, type Version, moduleOf } from "./types-module.ts";

const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  schema: { openAPIV3Schema: { type: "object" } },
  ...more,
});

function definition(kind: string, group: string, versions: readonly Version[]): Definition {
  const plural = `${kind.toLowerCase()}s`;
  const spec = { group, scope: "Cluster", names: { kind, plural }, versions } as const;
  return { metadata: { name: `${plural}.${group}` }, spec };
}

/** The module of all versions of these definitions. */
const written = (...definitions: readonly Definition[]): string =>
  moduleOf(definitions.flatMap((one) => one.spec.versions.map((of) => ({ definition: one, version: of }))));

const namesIn = (text: string): string[] => [...text.matchAll(/^export const (\w+):/gm)].map(([, name]) => name!);

test("a kind is a type and a value of the same name", () => {
  expect(written(definition("Thing", "example.com", [version("v1")]))).toBe(`/**
 * Kinds of custom resource definitions, for clients, informers and controllers.
 *
 * Made by \`keelson types\`; not edited by hand.
 *
 * @module
 */
import type { Kind } from "keelson/client";
import type { ObjectMeta } from "keelson/kinds";

/** Thing of example.com. */
export interface Thing {
  readonly apiVersion: "example.com/v1";
  readonly kind: "Thing";
  readonly metadata: ObjectMeta;
}

/** The kind of a {@link Thing}, for clients, informers and controllers. */
export const Thing: Kind<Thing, "Cluster"> = {
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Cluster",
};
`);
});

test("older versions have a suffix", () => {
  const versions = ["v1beta1", "v1", "v2alpha1"].map((name) => version(name));
  expect(namesIn(written(definition("Thing", "example.com", versions)))).toEqual([
    "ThingV1beta1",
    "Thing",
    "ThingV2alpha1",
  ]);
});

test("kinds with the same name in several groups have a prefix", () => {
  const text = written(
    definition("Thing", "a.example.com", [version("v1")]),
    definition("Thing", "b.io", [version("v1")]),
  );
  expect(namesIn(text)).toEqual(["AExampleComThing", "BIoThing"]);
});

test("a kind with the name of an import, or an invalid name, gets another name", () => {
  const kinds = ["Kind", "ObjectMeta", "my-thing", "string"].map((kind) =>
    definition(kind, "example.com", [version("v1")]),
  );
  expect(namesIn(written(...kinds))).toEqual(["Kind2", "ObjectMeta2", "MyThing", "String"]);
});

test("the names of kinds and their parts are unique", () => {
  const parts = { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } };
  const things = definition("Thing", "example.com", [version("v1", { schema: { openAPIV3Schema: parts } })]);
  const text = written(things, definition("ThingSpec", "example.com", [version("v1")]));
  expect(namesIn(text)).toEqual(["Thing", "ThingSpec"]);
  expect(text).toContain("  readonly spec?: ThingSpec2;\n");
});

test("a deprecated version has its warning in the comment", () => {
  const versions = [
    version("v1beta1", { deprecated: true }),
    version("v1alpha1", { deprecated: true, deprecationWarning: "use v1" }),
    version("v1"),
  ];
  const text = written(definition("Thing", "example.com", versions));
  expect(text.match(/@deprecated .*/g)).toEqual([
    "@deprecated example.com/v1beta1 Thing is deprecated",
    "@deprecated example.com/v1beta1 Thing is deprecated",
    "@deprecated use v1",
    "@deprecated use v1",
  ]);
});
