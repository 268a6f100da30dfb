import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import type { Actions, DefinitionResult } from "./actions.ts";
import { type TypesRequest, runTypes } from "./types-run.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const definition = (plural: string, kind: string, ...versions: string[]): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com`, uid: "u", resourceVersion: "7" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind },
    versions: [...versions, "v0"].map((name) => ({
      name,
      served: name !== "v0",
      schema: { openAPIV3Schema: { type: "object" } },
    })),
  },
  status: { acceptedNames: {} },
});
const THING = JSON.stringify(definition("things", "Thing", "v1", "v1beta1"));
const PART = JSON.stringify(definition("parts", "Part", "v1"));

/** Runs the command with a server that accepts everything, unless the test passes its response. */
async function run(request: TypesRequest, input = "", results?: readonly DefinitionResult[]) {
  const printed: string[] = [];
  const told: string[] = [];
  const asked: unknown[] = [];
  await runTypes(
    {
      validateDefinitions: (definitions: readonly object[]) => {
        asked.push(...definitions);
        return Promise.resolve(results ?? definitions.map((one) => ({ definition: one })));
      },
      print: (text: string) => void printed.push(text),
      terminal: { input: Readable.from([Buffer.from(input)]), tell: (text: string) => void told.push(text) },
    } as unknown as Actions,
    request,
  );
  const names = [...printed.join("").matchAll(/^export const (\w+):/gm)].map(([, name]) => name);
  return { names, printed: printed.join(""), told: told.join(""), asked };
}

test("reads documents of several files and items of lists; each served version is a kind", async () => {
  const list = `{"apiVersion": "v1", "kind": "List", "items": [${PART}]}`;
  const { names, told } = await run({ files: [file("things.yaml", `---\n${THING}\n---\n`), file("list.json", list)] });
  expect([names, told]).toEqual([["Thing", "ThingV1beta1", "Part"], ""]);
});

test("a definition from a server is validated without members that the server has set", async () => {
  const { asked } = await run({ files: ["-"] }, PART);
  expect(asked).toEqual([
    expect.objectContaining({ kind: "CustomResourceDefinition", metadata: { name: "parts.example.com" } }),
  ]);
  expect(asked[0]).not.toHaveProperty("status");
});

test("objects of other kinds are left out and reported on standard error", async () => {
  const { names, told } = await run({ files: ["-"] }, `kind: Pod\n---\n${PART}\n---\na: 1\n`);
  expect(names).toEqual(["Part"]);
  expect(told).toBe(
    'keelson: standard input, document 1 is left out: its kind is "Pod"\n' +
      "keelson: standard input, document 3 is left out: it has no kind\n",
  );
});

test("--version chooses one version of the definitions that serve it", async () => {
  expect((await run({ files: ["-"], version: "v1beta1" }, `${THING}\n---\n${PART}`)).names).toEqual(["Thing"]);
});

test("--output writes the file and prints nothing", async () => {
  const output = join(folder, "kinds.ts");
  const { printed } = await run({ files: ["-"], output }, PART);
  expect(printed).toBe("");
  expect(readFileSync(output, "utf8")).toMatch(/^\/\*\*\n[^]*\nexport const Part: [^]*\};\n$/);
});

test.each<[string, string, TypesRequest, string]>([
  ["no definition", "kind: Pod", { files: ["-"] }, "expected a CustomResourceDefinition in standard input, found none"],
  ["nothing", "", { files: ["-"] }, "expected a CustomResourceDefinition in standard input, found none"],
  ["no object", "- a", { files: ["-"] }, "expected standard input to be an object"],
  ["no YAML", "a: [", { files: ["-"] }, "expected standard input to be YAML or JSON: "],
  ["a member twice", "a: 1\na: 2", { files: ["-"] }, "expected each field of standard input once, got a again"],
  ["no file", "", { files: ["/no/such"] }, "expected a file at /no/such: ENOENT"],
  [
    "definitions of another version",
    "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition",
    { files: ["-"] },
    'expected apiVersion of standard input to be apiextensions.k8s.io/v1, got "apiextensions.k8s.io/v1beta1"',
  ],
  [
    "the same definition twice",
    `${PART}\n---\n${PART}`,
    { files: ["-"] },
    "got parts.example.com in standard input, document 1 and standard input, document 2",
  ],
  ["a version that is not served", THING, { files: ["-"], version: "v0" }, "version v0, served are: v1, v1beta1"],
])("%s is refused with its path", async (_, input, request, message) => {
  await expect(run(request, input)).rejects.toMatchObject({
    name: "CliError",
    message: expect.stringContaining(message) as string,
  });
});

test("the error of each definition has its file and document", async () => {
  const results = [{ error: "a is wrong" }, { definition: {} }, { error: "b is wrong" }];
  const input = `${THING}\n---\n${PART}\n---\n${THING}`;
  await expect(run({ files: ["-"] }, input, results)).rejects.toThrow(
    "standard input, document 1: a is wrong\nstandard input, document 3: b is wrong",
  );
});
