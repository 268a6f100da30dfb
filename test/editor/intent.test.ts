import { afterAll, beforeAll, expect, test } from "vitest";
import { Deployment } from "../../src/client/kinds/index.ts";
import type { BlameReport } from "../../src/meta/ownership-reports.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { intentOf } from "../../console/src/editor/intent.ts";
import { ownedText } from "../../console/src/editor/owners.ts";
import { atOnce } from "../../src/util/steps.ts";
import { type KindSchema, type OpenApiDocument, schemaOfKind } from "../../console/src/editor/schema.ts";

const KEY = { name: "web", namespace: "default" };
let cluster: Cluster;
let report: BlameReport;
let schema: KindSchema;
let text: string;
beforeAll(async () => {
  cluster = await createCluster({});
  const client = cluster.client("test");
  const deployments = client.resource(Deployment);
  const labels = { app: "web" };
  const container = { name: "web", image: "web:1", args: ["a", "b"], env: [{ name: "A", value: "1" }] };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  await deployments.apply({ metadata: KEY, spec } as never, { fieldManager: "team" });
  await deployments.apply({ metadata: { ...KEY, labels: { by: "me" } } } as never, { fieldManager: "me" });
  report = await deployments.blame(KEY);
  const document: OpenApiDocument = await client.json("GET", "/openapi/v3/apis/apps/v1");
  schema = schemaOfKind(document, { group: "apps", version: "v1", kind: "Deployment" })!;
  ({ text } = atOnce(ownedText(report)));
});
afterAll(() => cluster[Symbol.asyncDispose]());

const intent = (edited: string, manager = "me") => intentOf(edited, { leaves: report.leaves, manager, schema });
const HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n";

test("without an edit it is what the manager owns", () => {
  expect(intent(text)).toEqual({
    text: `${HEAD}  name: web\n  namespace: default\n  labels:\n    by: me\n`,
    kept: [],
  });
  expect(intent(text, "nobody").text).toBe(`${HEAD}  name: web\n  namespace: default\n`);
});

test("a changed field is in it, with the keys of its items, and comments", () => {
  const edited = text.replace("image: web:1", "image: web:2 # newer").replace(/name: A\n/, "name: A\n");
  expect(intent(edited).text).toContain(`  template:
    spec:
      containers:
        - name: web
          image: web:2 # newer
`);
  expect(intent(edited).text).not.toContain("args");
});

test("a new item is in it, an atomic list as a whole", () => {
  const item = intent(text.replace(/(\s+)- name: A/, "$1- name: NEW$1  value: x$1- name: A")).text;
  expect(item).toContain("- name: NEW\n              value: x\n");
  expect(item).not.toContain("- name: A\n");
  expect(intent(text.replace("- b\n", "- c\n")).text).toMatch(/args:\s+- a\s+- c\n/);
});

test("an alias is what it stands for, since its anchor may be left out", () => {
  const { text: body } = intent(text.replace(/uid: .*/, "uid: &image web:9").replace("image: web:1", "image: *image"));
  expect(body).toMatch(/- name: web\n\s+image: web:9\n/);
  expect(body).not.toMatch(/[&*]image|uid/);
  const levels = Array.from(
    { length: 9 },
    (_, i) =>
      `a${i}: &a${i} [${Array(9)
        .fill(i ? `*a${i - 1}` : "x")
        .join()}]`,
  );
  expect(() => intent(`${text}${levels.join("\n")}\n`)).toThrow("aliases for at most 100000 values");
  expect(() => intent(`${text}inside: &inside\n  itself: *inside\n`)).toThrow(
    "the alias inside is of no anchor before it",
  );
});

test("what others own cannot be taken away", () => {
  const removed = intent(text.replace(/\n\s+image: web:1/, ""));
  expect(removed.kept).toEqual(["/spec/template/spec/containers/0/image"]);
  // What the manager owns goes, since its apply does not have it any more.
  expect(intent(text.replace(/\n {2}labels:\n {4}by: me/, "")).kept).toEqual([]);
});

test("what the server sets, and the status, is never in it", () => {
  const edited = intent(text.replace(/uid: .*/, "uid: x").replace(/status:[^]*$/, "status:\n  replicas: 3\n")).text;
  expect(edited).not.toMatch(/uid|resourceVersion|status|creationTimestamp/);
});

test("a text that is no object says so", () => {
  expect(() => intent("- a")).toThrow("expected one object in YAML without mistakes");
});
