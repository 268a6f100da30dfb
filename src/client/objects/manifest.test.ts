import { describe, expect, test } from "vitest";
import { JsonNumber } from "../../value/value.ts";
import { ObjectError } from "./object-error.ts";
import { joinManifests, readManifests } from "./manifest.ts";

const TEXT = `# about the file
apiVersion: v1
kind: ConfigMap
metadata:
  name: web # its name
data:
  # about colours
  colour: red
  1: one
`;

const one = (text: string) => readManifests(text, "web.yaml")[0]!;

describe("a file of objects", () => {
  test("is parsed into objects without empty documents", () => {
    const both = readManifests(`---\n${TEXT}---\n---\n${TEXT.replace("name: web", "name: b\n  namespace: team")}`, "f");
    expect(both.map(({ apiVersion, kind, name, namespace }) => [apiVersion, kind, name, namespace])).toEqual([
      ["v1", "ConfigMap", "web", undefined],
      ["v1", "ConfigMap", "b", "team"],
    ]);
  });

  test("may be JSON", () => {
    const manifest = one('{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a":"eA=="}}');
    manifest.change([{ op: "remove", path: "/data/a" }]);
    expect(JSON.parse(manifest.text())).toEqual({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
  });

  test("keeps all digits of integers that no double holds, of its own and of those that are set", () => {
    const manifest = one(`${TEXT}spec:\n  serial: 9007199254740993\n  other: 1\n  list: [1]\n`);
    manifest.change([
      { op: "replace", path: "/spec/other", value: new JsonNumber("18014398509481985") },
      { op: "replace", path: "/spec/list", value: [new JsonNumber("-9007199254740993"), 2] },
      { op: "replace", path: "/data/1", value: "two" },
    ]);
    expect(manifest.text()).toContain(
      "  1: two\nspec:\n  serial: 9007199254740993\n  other: 18014398509481985\n  list:\n    - -9007199254740993\n    - 2\n",
    );
  });

  test.each([
    ["a: [", "web.yaml to be YAML or JSON"],
    ["", "at least one object in web.yaml"],
    ["- 1\n", "an object in web.yaml"],
    ["kind: ConfigMap\n", "apiVersion of an object in web.yaml"],
    ["apiVersion: v1\nkind: ConfigMap\n", "metadata.name of an object in web.yaml"],
  ])("that is %j is refused", (text, message) => {
    expect(() => readManifests(text, "web.yaml")).toThrow(ObjectError);
    expect(() => readManifests(text, "web.yaml")).toThrow(message);
  });
});

describe("changes of an object", () => {
  test("keep comments, the order of members and other members", () => {
    const manifest = one(TEXT);
    manifest.change([{ op: "replace", path: "/data/colour", value: "blue" }]);
    expect(manifest.text()).toBe(TEXT.replace("red", "blue"));
    expect(manifest.changed).toBe(true);
  });

  test("find keys that are numbers", () => {
    const manifest = one(TEXT);
    manifest.change([{ op: "remove", path: "/data/1" }]);
    expect(manifest.text()).toBe(TEXT.replace("  1: one\n", ""));
  });

  test("remove containers that become empty, as applying an empty container would own it", () => {
    const manifest = one(`${TEXT}spec:\n  a:\n    b:\n    - c: 1\n`);
    manifest.change([
      { op: "remove", path: "/spec/a/b/0/c" },
      { op: "remove", path: "/data/colour" },
    ]);
    expect(manifest.text()).not.toContain("spec");
    expect(manifest.text()).toContain("1: one");
  });

  test("use the indices before the first change", () => {
    const manifest = one(`${TEXT}list:\n- a: 0\n- a: 1\n- a: 2\n- a: 3\n`);
    manifest.change([
      { op: "remove", path: "/list/0" },
      { op: "replace", path: "/list/3/a", value: "last" },
      { op: "remove", path: "/list/2" },
    ]);
    expect(manifest.text()).toContain("list:\n  - a: 1\n  - a: last\n");
  });

  test("of an alias are refused", () => {
    const manifest = one(`${TEXT}base: &base { a: 1 }\nother: *base\n`);
    expect(() => manifest.change([{ op: "remove", path: "/other/a" }])).toThrow(
      "/other/a of ConfigMap web is an alias",
    );
  });

  test.each(["yes", "3", "0x1", "1:30", "~", "null", "2020-01-01", "1e3", "", " a", "a: b", "#a", "*a"])(
    "put the text %j in place as a text for every parser, and keep its comment",
    (value) => {
      const manifest = one(TEXT.replace("colour: red", "colour: red # nice"));
      manifest.change([{ op: "replace", path: "/data/colour", value }]);
      expect(manifest.text()).toContain(`colour: ${JSON.stringify(value)} # nice\n`);
    },
  );

  test("set values of any type", () => {
    const manifest = one(TEXT);
    manifest.change([{ op: "replace", path: "/data/colour", value: { a: ["x"] } }]);
    expect(manifest.text()).toContain("colour:\n    a:\n      - x\n");
  });
});

test("an object can be bound to a resourceVersion, which is not written to the file", () => {
  const manifest = one(TEXT);
  expect(manifest.text("17")).toContain('resourceVersion: "17"');
  expect(manifest.text()).toBe(TEXT);
  const own = one(TEXT.replace("  name: web", '  resourceVersion: "3"\n  name: web'));
  expect(own.text("17")).toContain('resourceVersion: "3"');
});

test("objects are written back unchanged", () => {
  const text = `${TEXT}---\n${TEXT.replace("name: web", "name: b")}`;
  expect(joinManifests(readManifests(text, "f"))).toBe(text);
});
