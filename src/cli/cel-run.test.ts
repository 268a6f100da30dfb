import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Actions } from "./actions.ts";
import { type CelRequest, runCel } from "./cel-run.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-cel-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const self = file("self.yaml", "{metadata: {name: a}, spec: {replicas: 3, most: 2, 'a.b': [{c: 1}]}}");
const old = file("old.yaml", "{metadata: {name: a}, spec: {replicas: 4, most: 5}}");
const crd = file(
  "crd.yaml",
  `kind: CustomResourceDefinition
spec:
  versions:
    - {name: v1beta1, storage: false, schema: {openAPIV3Schema: {type: object}}}
    - name: v1
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {replicas: {type: integer}, most: {type: integer}}
              x-kubernetes-validations: [{rule: self.replicas <= self.most, fieldPath: .replicas}]
`,
);

async function cel(expression: string | undefined, flags: Partial<CelRequest> = {}) {
  const printed: string[] = [];
  const exit = { done: 0, failed: 1 };
  const actions = { print: (text: string) => void printed.push(text), exit, terminal: { input: [] } };
  await runCel(actions as unknown as Actions, { expression, output: "text", ...flags });
  return { text: printed.join("\n"), code: exit.done };
}

test("without a schema every member may be used, and a missing one is an error", async () => {
  const { text, code } = await cel("self.spec.replicas + 1", { self });
  expect(text).toBe("value  4\ntype   int\ncost   4");
  expect(code).toBe(0);
  const { text: wrong, code: failed } = await cel("self.nope", { self });
  expect(wrong).toBe("error  no such key: nope\ntype   dyn\ncost   2");
  expect(failed).toBe(1);
});

test("with a definition types are checked and costs estimated, at the path of the rule", async () => {
  const { text } = await cel("self.replicas <= self.most", { self, schema: crd, at: "spec" });
  expect(text).toBe("value  false\ntype   bool\ncost   5 (estimated 5 to 5)");
  await expect(cel("self.replicas", { self, schema: crd })).rejects.toThrow(/undefined field 'replicas'/);
  await expect(cel("true", { schema: crd, version: "v2" })).rejects.toThrow(/version v2, it has v1beta1, v1/);
  await expect(cel("true", { schema: crd, at: "spec.no" })).rejects.toThrow(/expected the schema to have spec.no/);
  await expect(cel("self", { self, at: "['spec'].x[0]" })).rejects.toThrow(/expected the object to have spec.x/);
  await expect(cel("self", { self, at: "spec..x" })).rejects.toThrow(/expected --at to be a path/);
  expect((await cel("self.c", { self, at: "spec['a.b'][0]" })).text).toMatch(/^value  1\n/);
});

test("a variable of the expression must be given", async () => {
  await expect(cel("self", {})).rejects.toThrow(/expected --self FILE/);
  await expect(cel("oldSelf", { self })).rejects.toThrow(/expected --old FILE/);
  expect((await cel("oldSelf.spec.replicas > self.spec.replicas", { self, old })).text).toMatch(/^value  true/);
});

test("-o json prints the same as JSON", async () => {
  const { text } = await cel("[9007199254740993, self.replicas]", { self, schema: crd, at: "spec", output: "json" });
  expect(JSON.parse(text)).toEqual({
    value: ["9007199254740993", 3],
    text: "[9007199254740993, 3]",
    type: "list(int)",
    cost: 12,
    estimate: { least: "12", most: "12" },
  });
});

test("without an expression the object is validated by the rules of the definition", async () => {
  const { text, code } = await cel(undefined, { self, schema: crd });
  expect(text).toBe("spec.replicas: Invalid value: failed rule: self.replicas <= self.most");
  expect(code).toBe(1);
  expect(await cel(undefined, { self: old, schema: crd })).toEqual({
    text: "all rules accept it",
    code: 0,
  });
  await expect(cel(undefined, { self })).rejects.toThrow(/expected an expression, or --schema/);
});

test("errors name files that cannot be read or are not YAML", async () => {
  await expect(cel("self", { self: join(folder, "none") })).rejects.toThrow(/expected a file at .*none/);
  await expect(cel("self", { self: file("bad.yaml", "a: [") })).rejects.toThrow(
    /expected .*bad.yaml to be YAML or JSON/,
  );
});
