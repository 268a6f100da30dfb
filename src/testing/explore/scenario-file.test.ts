import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { StoredObject } from "../../explore/contract/state.ts";
import { ScenarioFileError, readScenarioFile } from "./scenario-file.ts";
import type { RuleState } from "./scenario.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-scenario-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "definitions"));
writeFileSync(
  join(folder, "definitions/all.yaml"),
  [
    "{ apiVersion: v1, kind: Namespace, metadata: { name: one } }",
    "{ apiVersion: v1, kind: Namespace, metadata: { name: two } }",
  ].join("\n---\n"),
);
writeFileSync(join(folder, "map.yaml"), "{ apiVersion: v1, kind: ConfigMap, metadata: { name: map } }");

function read(text: string) {
  const file = join(folder, "scenario.yaml");
  writeFileSync(file, text);
  return readScenarioFile(file);
}

test("a scenario with everything is read; files are found beside it", () => {
  const { scenario, operations } = read(`
name: shop
start: [definitions/]
nodes: 2
pause: 30s
quiet: 10m
steps:
  - apply: map.yaml
  - name: grow
    patch: { apiVersion: v1, kind: ConfigMap, name: map, namespace: one, with: { data: { size: "3" } } }
  - create: [{ apiVersion: v1, kind: Secret, metadata: { name: secret } }, map.yaml]
  - wait: 10s
  - delete: { apiVersion: v1, kind: ConfigMap, name: map, propagationPolicy: Foreground }
ignore:
  - { apiVersion: apps/v1, kind: Deployment, path: .status.lastSeen }
  - { apiVersion: v1, kind: Event }
operations:
  - of: { apiVersion: v1, kind: ConfigMap }
    example: map.yaml
`);
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" } };
  expect(scenario).toMatchObject({
    name: "shop",
    nodes: 2,
    pause: "30s",
    quiet: "10m",
    start: [{ metadata: { name: "one" } }, { metadata: { name: "two" } }],
    steps: [
      { apply: [map] },
      {
        name: "grow",
        patch: { apiVersion: "v1", kind: "ConfigMap", name: "map", namespace: "one", with: { data: { size: "3" } } },
      },
      { create: [{ kind: "Secret" }, map] },
      { wait: "10s" },
      { delete: { apiVersion: "v1", kind: "ConfigMap", name: "map", propagationPolicy: "Foreground" } },
    ],
    ignore: [
      { kind: { group: "apps", kind: "Deployment" }, path: ".status.lastSeen" },
      { kind: { group: "", kind: "Event" } },
    ],
  });
  expect(operations).toEqual([{ of: { apiVersion: "v1", kind: "ConfigMap" }, example: map }]);
});

const object = (kind: string, name: string, more: object = {}): StoredObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: "default", uid: name, resourceVersion: "1" },
  ...more,
});

const stateOf = (...objects: readonly StoredObject[]): RuleState => ({
  objects: () => objects,
  all: ({ kind }) => objects.filter((one) => one.kind === kind),
  find: ({ kind }, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
});

test("a rule in CEL is judged by all objects, or for each of a kind", () => {
  const { scenario } = read(`
name: rules
steps: [{ wait: 1s }]
always:
  - rule: few maps
    expression: objects.filter(o, o.kind == 'ConfigMap').size() <= 1
    message: there are too many
eventually:
  - rule: each secret has its map
    for: { apiVersion: v1, kind: Secret }
    expression: objects.exists(o, o.kind == 'ConfigMap' && o.metadata.name == object.metadata.name)
  - rule: a member that is not there
    expression: objects[0].spec.size > 1
    message: the reason why it cannot be judged comes first
`);
  const [few] = scenario.always!;
  const [mapped, missing] = scenario.eventually!;
  const [a, b] = [object("ConfigMap", "a"), object("ConfigMap", "b")];
  expect(few!.name).toBe("few maps");
  expect([few!.holds(stateOf(a)), few!.holds(stateOf(a, b))]).toEqual([true, "there are too many"]);
  const secret = object("Secret", "b");
  expect(mapped!.holds(stateOf(a, b, secret))).toBe(true);
  expect(mapped!.holds(stateOf(a, secret))).toBe("it is false (Secret default/b)");
  const another = object("Secret", "c");
  expect(mapped!.holds(stateOf(b, secret, another))).toBe("it is false (Secret default/c)");
  expect(mapped!.holds(stateOf())).toBe(true);
  expect(missing!.holds(stateOf(a))).toContain("no such key: spec");
});

const STEPS = "name: x\nsteps:\n  - ";
test.each([
  ["no name", "steps: [{ wait: 1s }]", "expected name of"],
  ["no step", "name: x", "expected steps of"],
  ["an unknown member", "name: x\nsteps: [{ wait: 1s }]\nstep: 1", "expected step of"],
  ["an unknown member of a step", `${STEPS}{ wait: 1s, for: 1 }`, "expected steps[0].for of"],
  [
    "two actions",
    `${STEPS}{ wait: 1s, apply: map.yaml }`,
    "steps[0] of FILE to have one of apply, create, patch, delete, wait, found apply and wait",
  ],
  ["no action", `${STEPS}{ name: nothing }`, "found none"],
  [
    "a duration that is none",
    `${STEPS}{ wait: soon }`,
    'expected steps[0].wait of FILE to be a duration such as 500ms, 10s or 5m, found "soon"',
  ],
  ["a file that is not there", `${STEPS}{ apply: nowhere.yaml }`, "steps[0].apply"],
  ["an object without a kind", `${STEPS}{ apply: [{ apiVersion: v1, metadata: { name: x } }] }`, "steps[0].apply[0]"],
  [
    "a patch without a body",
    `${STEPS}{ patch: { apiVersion: v1, kind: Pod, name: x } }`,
    "expected steps[0].patch.with of",
  ],
  ["a delete without a name", `${STEPS}{ delete: { apiVersion: v1, kind: Pod } }`, "expected steps[0].delete.name of"],
  ["nodes below zero", `nodes: -1\n${STEPS}{ wait: 1s }`, "expected nodes of FILE to be a number from 0 on, found -1"],
  [
    "CEL that is none",
    `always: [{ rule: r, expression: "1 +" }]\n${STEPS}{ wait: 1s }`,
    "expected always[0].expression of FILE to be CEL",
  ],
  ["CEL of another type", `always: [{ rule: r, expression: "1 + 1" }]\n${STEPS}{ wait: 1s }`, "found the type int"],
  [
    "object without for",
    `always: [{ rule: r, expression: "object.x" }]\n${STEPS}{ wait: 1s }`,
    "undeclared reference to 'object'",
  ],
  [
    "a path without a dot",
    `ignore: [{ apiVersion: v1, kind: Pod, path: status }]\n${STEPS}{ wait: 1s }`,
    "expected ignore[0].path of",
  ],
  [
    "an example of another kind",
    `name: x\noperations: [{ of: { apiVersion: v1, kind: Pod }, example: map.yaml }]`,
    "expected operations[0].example of FILE to be a v1 Pod, found v1 ConfigMap",
  ],
  ["two documents", "name: x\n---\nname: y", "expected one document in FILE, found 2"],
  ["no YAML", "name: [", "FILE"],
])("%s is an error that says where", (_, text, message) => {
  const file = join(folder, "scenario.yaml");
  expect(() => read(text)).toThrow(ScenarioFileError);
  expect(() => read(text)).toThrow(message.replaceAll("FILE", file));
});

test("a file that is not there is an error", () => {
  expect(() => readScenarioFile(join(folder, "nowhere.yaml"))).toThrow(ScenarioFileError);
});
