/**
 * The modules that `keelson types` writes, in the hands of who asked for them: they are well formed, right uses compile and
 * wrong ones do not, and what compiles works on a cluster.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXECUTABLE, Keelson } from "../serve/keelson.ts";
import { ReaderFolder } from "./reader-folder.ts";

const oxfmt = new URL("../../node_modules/oxfmt/bin/oxfmt", import.meta.url).pathname;
const folder = await ReaderFolder.make("types");
afterAll(() => folder[Symbol.dispose]());

const put = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
};

const WORDS = Array.from({ length: 30 }, (_, i) => `Word${i}`);

const THINGS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: &schema
        openAPIV3Schema:
          type: object
          description: "A thing. */ It is\\n\\nmade of parts."
          required: [spec]
          properties:
            spec:
              type: object
              required: [mode]
              properties:
                mode: {type: string, enum: [Fast, Slow]}
                words: {type: array, items: {type: string, enum: [${WORDS.join(", ")}]}}
                size: {type: integer, format: int64, default: 1}
                port: {x-kubernetes-int-or-string: true}
                since: {type: string, format: date-time, nullable: true}
                "an/odd-name": {type: boolean}
                options: {x-kubernetes-preserve-unknown-fields: true}
                bag: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: boolean}}}
                template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
                parts:
                  type: array
                  items: {type: object, required: [name], properties: {name: {type: string}, weight: {type: number}}}
                aMapWhoseNameIsLong:
                  type: object
                  nullable: true
                  additionalProperties:
                    type: object
                    properties: {anotherMapWhoseNameIsLong: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}
            status: {type: object, properties: {ready: {type: boolean}}}
    - {name: v1beta1, served: true, storage: false, deprecated: true, schema: *schema}
    - {name: v1alpha1, served: false, storage: false, schema: *schema}
`;

const OPEN = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kinds.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: kinds, kind: Kind}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
          properties: {spec: {type: object, properties: {size: {type: integer}}}}
`;

const PROGRAM = `
import { Kind2, Thing, ThingV1beta1 } from "./kinds.ts";
import { createCluster } from "keelson/testing";
import assert from "node:assert/strict";

await using cluster = await createCluster();
await cluster.apply("things.yaml");
await cluster.settled();
const client = cluster.client("types");
const things = client.resource(Thing);

const made: Thing = await things.create({
  metadata: { namespace: "default", name: "a" },
  spec: { mode: "Fast", port: 80, "an/odd-name": true, parts: [{ name: "x" }], options: [1], bag: { known: true, more: 2 } },
});
const size: number = made.spec.size;
const since: string | null | undefined = made.spec.since;
assert.deepEqual([made.apiVersion, made.kind, made.spec.mode, size, since], ["example.com/v1", "Thing", "Fast", 1, undefined]);
assert.deepEqual(made.spec.bag, { known: true, more: 2 });

const key = { namespace: "default", name: "a" };
const older: ThingV1beta1 = await client.resource(ThingV1beta1).get(key);
const literal: "example.com/v1beta1" = older.apiVersion;
assert.equal(literal, "example.com/v1beta1");
await things.apply({ metadata: key, spec: { mode: "Slow" } }, { fieldManager: "me", force: true });
const [one] = (await things.list({ namespace: "default" })).items;
assert.equal(one?.spec.mode, "Slow");
const weight: number | undefined = one?.spec.parts?.[0]?.weight;
assert.equal(weight, undefined);

const open: Kind2 = await client.resource(Kind2).create({ metadata: { name: "k" }, spec: { size: 2 }, more: true });
assert.deepEqual([open.spec?.size, open["more"]], [2, true]);

/** Compiles, and is not run. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: it is in a namespace
  await things.get({ name: "a" });
  // @ts-expect-error: it is in no namespace
  await client.resource(Kind2).get(key);
  // @ts-expect-error: no such mode
  await things.create({ metadata: key, spec: { mode: "Medium" } });
  // @ts-expect-error: no such member
  await things.create({ metadata: key, spec: { colour: "red" } });
  // @ts-expect-error: no number
  await things.create({ metadata: key, spec: { size: "1" } });
  // @ts-expect-error: a known member beside unknown ones
  await things.create({ metadata: key, spec: { bag: { known: 1 } } });
  // @ts-expect-error: a known member beside unknown ones, of the object itself
  await client.resource(Kind2).create({ metadata: { name: "k" }, spec: { size: "2" } });
  // @ts-expect-error: what is read is not changed in place
  made.spec.size = 2;
  // @ts-expect-error: it may be null
  const text: string | undefined = made.spec.since;
  // @ts-expect-error: it may not be there
  const ready: boolean = made.status.ready;
  // @ts-expect-error: one version is not the other
  const newer: Thing = older;
  // @ts-expect-error: mode is required
  const spec: Thing["spec"] = { size: 1 };
  void [text, ready, newer, spec];
}
`;

async function types(...args: readonly string[]): Promise<Keelson & { readonly code: number | null }> {
  const program = new Keelson(["types", ...args], { cwd: folder.path });
  const { code } = await program.ended;
  return Object.assign(program, { code });
}

let written: Awaited<ReturnType<typeof types>>;
beforeAll(async () => {
  put("things.yaml", `${THINGS}---\n${OPEN}`);
  put("program.ts", PROGRAM);
  written = await types("things.yaml", "--output", "kinds.ts");
});

test("a module that goes to a file is not printed", () => {
  expect([written.code, written.stderr, written.stdout]).toEqual([0, "", ""]);
});

test("a module is well formed as formatters see it, ends with a line, and is the same each time", async () => {
  const text = readFileSync(join(folder.path, "kinds.ts"), "utf8");
  expect((await types("things.yaml")).stdout).toBe(text);
  expect(text).toMatch(/[^\n]\n$/);
  put(".oxfmtrc.json", `{ "printWidth": 120 }`);
  expect(await folder.complaint(oxfmt, "--check", "kinds.ts")).toBe("");
});

test("right uses compile and wrong ones do not", { timeout: 300_000 }, async () => {
  expect(await folder.typeFaults()).toBe("");
});

test("what compiles works on a cluster of the testing kit", async () => {
  expect(await folder.complaint("--import", "./alias.mjs", "program.ts")).toBe("");
});

test("the example of the guide works as a reader types it", async () => {
  const guide = readFileSync(new URL("../../docs/guides/custom-resources.md", import.meta.url), "utf8");
  const [, definition] = /^cat > things\.yaml <<EOF\n([^]*?)^EOF$/m.exec(guide)!;
  const [, program] = /^```ts\n(import [^]*?\.\/kinds\.ts[^]*?)^```$/m.exec(guide)!;
  using reader = await ReaderFolder.make("guide");
  writeFileSync(join(reader.path, "things.yaml"), definition!);
  writeFileSync(join(reader.path, "program.ts"), program!);
  expect(await reader.complaint(EXECUTABLE, "types", "things.yaml", "--output", "kinds.ts")).toBe("");
  expect(await reader.complaint("--import", "./alias.mjs", "program.ts")).toBe("");
});

test("--version chooses a version, which then has the name of its kind", async () => {
  const { stdout } = await types("things.yaml", "--version", "v1beta1");
  expect(stdout.match(/^export const .*/gm)).toEqual([`export const Thing: Kind<Thing, "Namespaced"> = {`]);
  expect(stdout).toContain("@deprecated example.com/v1beta1 Thing is deprecated");
});

test("a definition that no server would take is refused, with its file and its field", async () => {
  put("wrong.yaml", THINGS.replace("default: 1", "default: one").replace("enum: [Fast, Slow]", "enums: [Fast]"));
  const unknown = await types("wrong.yaml");
  expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  expect(unknown.stderr).toMatch(
    /^keelson: wrong\.yaml: .*unknown field "spec\.versions\[0\]\.schema\..*\.mode\.enums"/,
  );
  put("wrong.yaml", THINGS.replace("default: 1", "default: one"));
  const invalid = await types("wrong.yaml");
  expect(invalid.stderr).toMatch(
    /^keelson: wrong\.yaml: .*"things\.example\.com" is invalid: .*spec\.validation\.openAPIV3Schema\.properties\[spec\]\.properties\[size\]\.default: Invalid value/,
  );
});
