/** Custom resources: CRD-1..46, CEL-36..47, MARK-7, MARK-9, MARK-16, MARK-17, TOPO-1, TOPO-2, TOPO-4, SUP-8. */
import { describe, expect, test } from "vitest";
import { type Answer, expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve();

type Json = Readonly<Record<string, unknown>>;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A definition of its own group, with this schema of `spec`; `more` is put into the version. */
function definitionOf(group: string, spec: Json, more: Json = {}, root: Json = {}): Json {
  const schema = { type: "object", properties: { spec, status: { type: "object" } }, ...root };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: { group, scope: "Namespaced", names, versions: [version] },
  };
}

interface Served {
  readonly group: string;
  readonly items: string;
  item(name: string): string;
  body(name: string, spec: Json, more?: Json): Json;
}

const established = ({ body }: Answer): boolean =>
  ((body as { status?: { conditions?: Json[] } }).status?.conditions ?? []).some(
    ({ type, status }) => type === "Established" && status === "True",
  );

/** Serves a kind with this schema of `spec`. */
async function served(spec: Json, more: Json = {}, root: Json = {}): Promise<Served> {
  const group = `${fresh("g")}.example.com`;
  expectStatus(await api.post(DEFINITIONS, definitionOf(group, spec, more, root)), 201);
  const found = await api.until(`${DEFINITIONS}/things.${group}`, established);
  expect(established(found)).toBe(true);
  const items = `/apis/${group}/v1/namespaces/default/things`;
  return {
    group,
    items,
    item: (name) => `${items}/${name}`,
    body: (name, of, others = {}) => ({
      apiVersion: `${group}/v1`,
      kind: "Thing",
      metadata: { name },
      spec: of,
      ...others,
    }),
  };
}

/** Gives the one version of a definition another schema of `spec`. */
async function reschema({ group }: Served, spec: Json): Promise<void> {
  const path = `${DEFINITIONS}/things.${group}`;
  const operation = { op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec", value: spec };
  expectStatus(await api.jsonPatch(path, [operation]), 200);
  await api.settled();
}

const INTEGER = { type: "integer" };
const TEXT = { type: "string" };
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
const entries = object({ name: TEXT, value: TEXT }, { required: ["name"] });
const keyed = {
  type: "array",
  items: entries,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};

describe("definitions", () => {
  test("CRD-1, CRD-3, SUP-8: what is defined is served, found in discovery, and gone with its definition", async () => {
    const kind = await served(object({ size: INTEGER }));
    expectStatus(await api.post(kind.items, kind.body("a", { size: 1 })), 201);
    const found = await api.get(`/apis/${kind.group}/v1`);
    expect(found.at("resources.0.name")).toBe("things");
    expectStatus(await api.delete(`${DEFINITIONS}/things.${kind.group}`), 200);
    const gone = await api.until(`${DEFINITIONS}/things.${kind.group}`, ({ status }) => status === 404);
    expectStatus(gone, 404);
    expectStatus(await api.get(kind.items), 404);
  });

  test("CRD-9: names that another definition of the group has are not accepted", async () => {
    const kind = await served(object({}));
    const other = definitionOf(kind.group, object({})) as { metadata: Json; spec: { names: Json } & Json };
    const names = { ...other.spec.names, plural: "others" };
    const body = { ...other, metadata: { name: `others.${kind.group}` }, spec: { ...other.spec, names } };
    expectStatus(await api.post(DEFINITIONS, body), 201);
    await api.settled();
    const found = await api.get(`${DEFINITIONS}/others.${kind.group}`);
    expect(established(found)).toBe(false);
    expectStatus(await api.get(`/apis/${kind.group}/v1/namespaces/default/others`), 404);
  });

  test.each([
    ["MARK-7", { ...keyed, "x-kubernetes-list-type": "set" }, /x-kubernetes-list-type$/],
    ["MARK-9", { ...keyed, items: object({ name: object({}) }, { required: ["name"] }) }, /properties\[name\]\.type$/],
  ])("%s, CRD-40: keys of lists are of lists of type map, and scalar", async (_, list, field) => {
    const answer = await api.post(DEFINITIONS, definitionOf(`${fresh("g")}.example.com`, object({ list })));
    expectStatus(answer, 422);
    expect(answer.fields.some((one) => field.test(one))).toBe(true);
  });

  test("CRD-34: columns are printed as the definition says", async () => {
    const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }];
    const kind = await served(object({ size: INTEGER }), { additionalPrinterColumns: columns });
    await api.post(kind.items, kind.body("a", { size: 7 }));
    const table = await api.get(kind.items, {}, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    expect(table.at("columnDefinitions.1.name")).toBe("Size");
    expect(table.at("rows.0.cells")).toEqual(["a", 7]);
  });

  test("CRD-30, CRD-31: status and scale are ways of their own", async () => {
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
    const root = { properties: { spec: object({ size: INTEGER }), status: object({ size: INTEGER }) } };
    const kind = await served({}, { subresources: { status: {}, scale } }, root);
    await api.post(kind.items, kind.body("a", { size: 1 }, { status: { size: 9 } }));
    expect((await api.get(kind.item("a"))).at("status")).toBeUndefined();
    await api.merge(`${kind.item("a")}/status`, { status: { size: 1 }, spec: { size: 5 } });
    expect((await api.get(kind.item("a"))).body).toMatchObject({ spec: { size: 1 }, status: { size: 1 } });
    await api.merge(`${kind.item("a")}/scale`, { spec: { replicas: 3 } });
    expect((await api.get(kind.item("a"))).body).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } });
  });
});

describe("objects", () => {
  test("CRD-36, CRD-43: a status that is sent is dropped where there is a path for it, its defaults are not", async () => {
    const status = object({ seen: INTEGER }, { default: { seen: -1 } });
    const kind = await served({}, { subresources: { status: {} } }, { properties: { spec: object({}), status } });
    const made = await api.post(kind.items, kind.body("a", {}, { status: { seen: 9 } }));
    expect(made.at("status")).toEqual({ seen: -1 });
    expect((await api.get(kind.item("a"))).at("status")).toEqual({ seen: -1 });
    expect(Object.values(made.owners)).toEqual([["spec"]]);
  });

  test("CRD-41, SUP-8: unknown members are pruned with a warning, and refused when asked", async () => {
    const kind = await served(object({ size: INTEGER }));
    const made = await api.post(kind.items, kind.body("a", { size: 1, colour: "red" }), { fieldValidation: "Warn" });
    expect(made.at("spec")).toEqual({ size: 1 });
    expect(made.warnings.join()).toContain("spec.colour");
    const strict = await api.post(kind.items, kind.body("b", { colour: "red" }), { fieldValidation: "Strict" });
    expectStatus(strict, 400);
  });

  test("CRD-45, SUP-8: a value of another type is 422, no kind is 400, a strategic patch is 415", async () => {
    const kind = await served(object({ size: INTEGER }));
    const answer = await api.post(kind.items, kind.body("a", { size: "big" }));
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(["FieldValueTypeInvalid spec.size"]);
    expectStatus(await api.post(kind.items, { metadata: { name: "a" } }), 400);
    await api.post(kind.items, kind.body("a", {}));
    expectStatus(await api.strategic(kind.item("a"), { spec: { size: 1 } }), 415);
  });

  test("CRD-43: defaults are filled in where they are read, too", async () => {
    const kind = await served(object({ size: INTEGER }));
    await api.post(kind.items, kind.body("a", {}));
    await reschema(kind, object({ size: { type: "integer", default: 3 } }));
    const found = await api.until(kind.item("a"), (answer) => answer.at("spec.size") === 3);
    expect(found.at("spec")).toEqual({ size: 3 });
  });

  test("CRD-46: a fault that was there before a change is forgiven where nothing changed", async () => {
    const kind = await served(object({ size: INTEGER, name: TEXT }));
    await api.post(kind.items, kind.body("a", { size: 99 }));
    await reschema(kind, object({ size: { type: "integer", maximum: 9 }, name: TEXT }));
    expectStatus(await api.merge(kind.item("a"), { spec: { name: "x" } }), 200);
    const answer = await api.merge(kind.item("a"), { spec: { size: 98 } });
    expectStatus(answer, 422);
    expect(answer.fields).toEqual(["spec.size"]);
  });
});

describe("rules", () => {
  const rules = (...all: Json[]): Json => ({ "x-kubernetes-validations": all });

  test("CEL-36, CEL-38, CEL-39: a rule decides, and says what is wrong where it says so", async () => {
    const rule = {
      rule: "self.least <= self.most",
      messageExpression: "'least is %d'.format([self.least])",
      fieldPath: ".least",
      reason: "FieldValueForbidden",
    };
    const kind = await served(object({ least: INTEGER, most: INTEGER }, rules(rule)));
    expectStatus(await api.post(kind.items, kind.body("a", { least: 1, most: 2 })), 201);
    const answer = await api.post(kind.items, kind.body("b", { least: 3, most: 2 }));
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(["FieldValueForbidden spec.least"]);
    expect(answer.text).toContain("least is 3");
  });

  test("CEL-42: a transition rule sees the element with the same key", async () => {
    const items = { ...entries, ...rules({ rule: "self.value == oldSelf.value", message: "the value stays" }) };
    const kind = await served(object({ list: { ...keyed, items, maxItems: 5 } }));
    const list = (...pairs: [string, string][]): Json => ({ list: pairs.map(([name, value]) => ({ name, value })) });
    expectStatus(await api.post(kind.items, kind.body("a", list(["x", "1"], ["y", "2"]))), 201);
    expectStatus(await api.merge(kind.item("a"), { spec: list(["z", "3"], ["y", "2"]) }), 200);
    const answer = await api.merge(kind.item("a"), { spec: list(["y", "9"], ["z", "3"]) });
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(["FieldValueInvalid spec.list[0]"]);
  });

  test("CEL-46: a new rule forgives what has not changed", async () => {
    const kind = await served(object({ size: INTEGER, name: TEXT }));
    await api.post(kind.items, kind.body("a", { size: 9 }));
    await reschema(kind, object({ size: { ...INTEGER, ...rules({ rule: "self < 5" }) }, name: TEXT }));
    expectStatus(await api.merge(kind.item("a"), { spec: { name: "x" } }), 200);
    expectStatus(await api.merge(kind.item("a"), { spec: { size: 8 } }), 422);
    expectStatus(await api.post(kind.items, kind.body("b", { size: 9 })), 422);
  });

  test("CEL-41: rules wait until the words of the schema are obeyed", async () => {
    const spec = object({ size: INTEGER }, { required: ["size"], ...rules({ rule: "self.size > 1" }) });
    const kind = await served(spec);
    const answer = await api.post(kind.items, kind.body("a", {}));
    expectStatus(answer, 422);
    expect(answer.fields).toEqual(["<nil>", "spec.size"]);
  });

  test("CEL-53, CEL-54: a rule that may cost too much is refused with its definition", async () => {
    const dear = {
      type: "array",
      items: { type: "array", items: TEXT },
      ...rules({ rule: "self.all(x, x.all(y, y.contains('a')))" }),
    };
    const answer = await api.post(DEFINITIONS, definitionOf(`${fresh("g")}.example.com`, object({ dear })));
    expectStatus(answer, 422);
    expect(answer.text).toContain("exceeds budget by factor of more than 100x");
  });
});

describe("owners", () => {
  test("MARK-16: without marks keys are owned one by one at any depth, and a list by one", async () => {
    const kind = await served({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const apply = (manager: string, spec: Json): Promise<Answer> =>
      api.apply(kind.item("a"), manager, kind.body("a", spec));
    expectStatus(await apply("a", { deep: { x: "1" }, list: ["1"] }), 201);
    expectStatus(await apply("b", { deep: { y: "2" } }), 200);
    expectStatus(await apply("b", { list: ["2"] }), 409);
    expect((await api.get(kind.item("a"))).at("spec")).toEqual({ deep: { x: "1", y: "2" }, list: ["1"] });
  });

  test("MARK-17: the marks of a schema are honoured", async () => {
    const kind = await served(
      object({ list: keyed, names: { type: "array", items: TEXT, "x-kubernetes-list-type": "set" } }),
    );
    const apply = (manager: string, spec: Json): Promise<Answer> =>
      api.apply(kind.item("a"), manager, kind.body("a", spec));
    await apply("a", { list: [{ name: "x" }], names: ["x"] });
    expectStatus(await apply("b", { list: [{ name: "y" }], names: ["y"] }), 200);
    expect((await api.get(kind.item("a"))).at("spec")).toEqual({
      list: [{ name: "x" }, { name: "y" }],
      names: ["x", "y"],
    });
  });

  test("TOPO-1: when a list becomes atomic, who owned an element owns the list", async () => {
    const kind = await served(object({ list: keyed }));
    const apply = (manager: string, name: string): Promise<Answer> =>
      api.apply(kind.item("a"), manager, kind.body("a", { list: [{ name }] }));
    await apply("a", "x");
    await reschema(kind, object({ list: { type: "array", items: entries } }));
    expectStatus(await apply("b", "y"), 409);
  });

  test("TOPO-2, TOPO-4: when an atomic list becomes keyed, its owner keeps the list and none of its elements", async () => {
    const kind = await served(object({ list: { type: "array", items: entries } }));
    const apply = (manager: string, value: string): Promise<Answer> =>
      api.apply(kind.item("a"), manager, kind.body("a", { list: [{ name: "x", value }] }));
    await apply("a", "1");
    await reschema(kind, object({ list: keyed }));
    const answer = await apply("b", "2");
    expectStatus(answer, 200);
    expect(answer.owners["a Apply"]).toEqual(["spec.list"]);
  });
});
