import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { headsOf, locateField, parseDocuments, problemsOf } from "../../console/src/editor/documents.ts";
import { parseFieldName } from "../../console/src/editor/field-name.ts";
import {
  type GroupVersionKind,
  type KindSchema,
  type OpenApiDocument,
  explain,
  memberProposals,
  schemaOfKind,
  skeleton,
  valueProposals,
} from "../../console/src/editor/schema.ts";

const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment" };
const POD = { group: "", version: "v1", kind: "Pod" };
const CONFIG_MAP = { group: "", version: "v1", kind: "ConfigMap" };

let cluster: Cluster;
const schemas = new Map<string, KindSchema>();
beforeAll(async () => {
  cluster = await createCluster({});
  const client = cluster.client("test");
  const read = (path: string): Promise<OpenApiDocument> => client.json("GET", path);
  const documents = { "": await read("/openapi/v3/api/v1"), apps: await read("/openapi/v3/apis/apps/v1") };
  for (const gvk of [DEPLOYMENT, POD, CONFIG_MAP])
    schemas.set(gvk.kind, schemaOfKind(documents[gvk.group as "" | "apps"], gvk)!);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const of = ({ kind }: GroupVersionKind): KindSchema => schemas.get(kind)!;
/** A kind whose schema has an enumeration; those of Kubernetes say values in words only. */
const COLOURED: KindSchema = {
  root: "a",
  definitions: {
    a: { type: "object", properties: { colour: { $ref: "#/components/schemas/b" } } },
    b: { type: "string", enum: ["red", "no"], default: "red" },
  },
};
const problems = (text: string): string[] =>
  problemsOf(parseDocuments(text), (_version, kind) => schemas.get(kind)).map(
    ({ from, to, severity, message }) => `${severity} ${JSON.stringify(text.slice(from, to))}: ${message}`,
  );

const WEB = `# the front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: web:1 # newest
        ports:
        - containerPort: 80
`;

describe("schemas of a server", () => {
  test("members and values are proposed, what is required first", () => {
    const members = memberProposals(of(POD), ["spec", "containers", 0], 4);
    expect(members[0]).toMatchObject({ label: "name", required: true, insert: "name: " });
    expect(members.find(({ label }) => label === "ports")!.insert).toBe("ports:\n    - ");
    expect(members.find(({ label }) => label === "resources")!.insert).toBe("resources:\n      ");
    expect(memberProposals(of(POD), ["spec", "nothing"], 0)).toEqual([]);
    expect(valueProposals(COLOURED, ["colour"])).toMatchObject([
      { label: "red", detail: "default" },
      { label: "no", insert: '"no"' },
    ]);
    expect(valueProposals(of(POD), ["spec", "hostNetwork"]).map(({ label }) => label)).toEqual(["true", "false"]);
  });

  test("a field is explained", () => {
    expect(explain(of(DEPLOYMENT), ["spec", "template", "spec", "containers", 0, "image"])).toMatchObject({
      field: ".spec.template.spec.containers[0].image",
      type: "string",
    });
    expect(explain(of(DEPLOYMENT), ["spec", "selector"])).toMatchObject({ required: true });
    expect(explain(of(POD), ["metadata", "labels"])!.type).toBe("map to string");
    expect(explain(of(POD), ["spec", "none"])).toBeUndefined();
  });

  test("the skeleton of a kind has what is required, and is itself without a mistake", () => {
    const text = skeleton(of(DEPLOYMENT), DEPLOYMENT, "default");
    expect(text).toContain('  selector:\n    matchLabels:\n      app: ""\n');
    expect(text).toContain('      containers:\n      - name: ""\n        image: ""\n');
    expect(problems(text)).toEqual([]);
    expect(skeleton(of(CONFIG_MAP), CONFIG_MAP, undefined)).toBe(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ""\ndata: {}\n',
    );
  });
});

describe("mistakes are reported where they are", () => {
  test("a text without a mistake has none", () => {
    expect(problems(WEB)).toEqual([]);
  });

  test("types, enumerations, unknown and missing fields", () => {
    expect(problems(WEB.replace("containerPort: 80", "containerPort: http"))).toEqual([
      'error "http": expected integer (int32), found the text "http"',
    ]);
    expect(problems(WEB.replace("image: web:1", "imgae: web:1"))).toEqual([
      'warning "imgae": unknown field imgae; did you mean "image"?',
    ]);
    expect(problems(WEB.replace("- name: web\n        image", "- image"))).toEqual([
      'error "image": expected the member name, which is required',
    ]);
    expect(problems("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: 1\n  b: yes\n  c: [x]\n")).toEqual([
      'error "1": expected string, found the integer 1; put it in quotes',
      'error "yes": expected string, found true; put it in quotes',
      'error "c": expected string, found a list',
    ]);
    const found = problemsOf(parseDocuments("apiVersion: v1\nkind: X\ncolour: blue\n"), () => COLOURED);
    expect(found.map(({ message }) => message)).toContain('expected one of red, no, found "blue"');
  });

  test("YAML that is none, and documents that say not what they are", () => {
    expect(problems("a: [1, 2\nb: 3")[0]).toMatch(/^error/);
    expect(problems("apiVersion: v1\nname: x\n")).toEqual(['error "apiVersion": expected the member kind with a text']);
    expect(problems("a: 1\na: 2\n")[0]).toMatch(/unique/);
  });

  test("aliases are what they stand for, in bounded time", () => {
    const messagesOf = (text: string): readonly string[] =>
      problemsOf(parseDocuments(text), () => of(CONFIG_MAP)).map(({ message }) => message);
    const head = "apiVersion: v1\nkind: ConfigMap\n";
    expect(messagesOf(`${head}metadata: {name: &n web, namespace: *n}\ndata: {a: *n}\n`)).toEqual([]);
    expect(messagesOf(`${head}metadata: {name: a, generation: &n 80}\ndata: {a: *n}\n`)).toEqual([
      "expected string, found the integer 80; put it in quotes",
    ]);
    // Nine levels of nine are 387 million values; a value may be in itself; and many aliases are one walk through the text.
    const levels = Array.from(
      { length: 9 },
      (_, i) =>
        `  a${i}: &a${i} [${Array(9)
          .fill(i ? `*a${i - 1}` : "x")
          .join()}]`,
    );
    expect(messagesOf(`${head}metadata:\n${levels.join("\n")}\n`)).toContainEqual(
      expect.stringMatching(/^unknown field a0/),
    );
    expect(messagesOf(`${head}metadata: &m\n  labels: *m\n`)).toContainEqual(expect.stringMatching(/^expected string/));
    const many = Array.from({ length: 20_000 }, (_, i) => `  k${i}: *n`).join("\n");
    expect(messagesOf(`${head}metadata: {name: &n web}\ndata:\n${many}\n`)).toEqual([]);
    expect(messagesOf(`${head}data:\n  a: x\n  b: x\n  a: z\n`)).toEqual(['Map keys must be unique: "a"']);
  });

  test("integers beyond 2^53 and times stay what they are", () => {
    const text = WEB.replace(
      "name: web\nspec:",
      "name: web\n  creationTimestamp: 2026-01-01T00:00:00Z\nspec:\n  replicas: 9223372036854775807",
    );
    expect(problems(text)).toEqual([]);
  });

  test("the causes of a refusal are found by their names", () => {
    const at = (text: string, field: string): string => {
      const range = locateField(parseDocuments(text), field);
      return range ? text.slice(...range) : "";
    };
    expect(at(WEB, "spec.template.spec.containers[0].image")).toBe("web:1");
    expect(at(WEB, '.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]')).toBe("ports");
    expect(at(WEB, "spec.template.spec.containers[0].command")).toBe("name");
    expect(at(WEB, "spec.replicas")).toBe("spec");
    const keys = "kind: ConfigMap\ndata:\n  a.b: '1'\n  c/d: '2'\n";
    expect([at(keys, "data[a.b]"), at(keys, ".data.a.b"), at(keys, "data['c/d']")]).toEqual(["'1'", "'1'", "'2'"]);
  });
});

test("documents say what they are", () => {
  expect(headsOf(parseDocuments(`${WEB}---\n# nothing\n---\nkind: Pod\n`))).toMatchObject([
    { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "" },
    { apiVersion: "", kind: "Pod", name: "" },
  ]);
});

test("names of fields are read, hostile ones too", () => {
  expect(parseFieldName('.a[0]["x.y"].b[k="]",n=1]')).toEqual(["a", 0, "x.y", "b", { keys: { k: "]", n: 1 } }]);
  expect(parseFieldName("[")).toEqual([]);
  const started = performance.now();
  parseFieldName(`a${'["'.repeat(20_000)}`);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("the type of maps that contain themselves has an end", () => {
  const nested: KindSchema = {
    root: "a",
    definitions: {
      a: { type: "object", properties: { map: { $ref: "#/components/schemas/c" } } },
      c: { type: "object", additionalProperties: { $ref: "#/components/schemas/c" } },
    },
  };
  expect(explain(nested, ["map"])!.type).toBe(`${"map to ".repeat(9)}values`);
});
