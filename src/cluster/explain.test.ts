import { afterAll, beforeAll, expect, test } from "vitest";
import type { AdmissionStep } from "../admission/contract.ts";
import type { AdmissionReport } from "../meta/admission-report.ts";
import { kubernetes } from "../meta/dialect.ts";
import { forbidden } from "../meta/status.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

const IDENTITY = { user: "admin", groups: ["system:masters"] };
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

const clock = new ManualClock();

/** Puts a label on ConfigMaps, in 3 ms. */
const stamp: AdmissionStep = {
  name: "Stamp",
  resources: [{ group: "", plural: "configmaps" }],
  async mutate({ object, warnings, trace }) {
    clock.advance(3);
    if (!object) return;
    object.metadata.labels = { ...object.metadata.labels, stamped: "yes" };
    warnings.push("it was stamped");
    trace?.tell({ source: "Stamps/all", name: "s", matched: false, why: "another namespace" });
  },
};

/** Refuses what is called `no`. */
const refusing: AdmissionStep = {
  name: "Refusing",
  validate({ ref, name }) {
    if (name === "no") throw forbidden(ref, name, "it is called so");
  },
};

const elsewhere: AdmissionStep = { name: "Elsewhere", resources: [{ group: "", plural: "pods" }], mutate: () => {} };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    clock,
    random: seededRandom(1),
    steps: [stamp, refusing, elsewhere],
  });
});
afterAll(() => cluster.close(0));

async function ask(method: string, url: string, body?: object, type = "application/json") {
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await cluster.server.inject({
    method,
    url,
    identity: IDENTITY,
    headers: { "content-type": type },
    ...sent,
  });
  return { code: response.code, body: JSON.parse(await response.text()) as AdmissionReport };
}

const named = (name: string) => ({ metadata: { name }, data: { k: "v" } });
const EXPLAIN = "dryRun=All&explain";

test("a dry run with explain responds with what each step did, and stores nothing", async () => {
  const { code, body } = await ask("POST", `${CONFIGMAPS}?${EXPLAIN}`, named("a"));
  expect(code).toBe(200);
  expect(body).toMatchObject({
    kind: "AdmissionReport",
    apiVersion: "keelson.dev/v1",
    object: { apiVersion: "v1", kind: "ConfigMap", namespace: "default" },
    operation: "CREATE",
    code: 201,
    result: { metadata: { name: "a", labels: { stamped: "yes" } } },
  });
  expect(body.unconcerned).toContain("Elsewhere");
  expect(body.unconcerned).not.toContain("Stamp");
  expect(body.steps.find(({ name }) => name === "Stamp")).toEqual({
    name: "Stamp",
    phase: "mutate",
    millis: 3,
    changes: [{ op: "add", pointer: "/metadata/labels", after: { stamped: "yes" } }],
    warnings: ["it was stamped"],
    rules: [{ source: "Stamps/all", name: "s", matched: false, why: "another namespace" }],
  });
  expect((await ask("GET", `${CONFIGMAPS}/a`)).code).toBe(404);
});

test("a refusal is named with its step, and the response is 200", async () => {
  const { code, body } = await ask("POST", `${CONFIGMAPS}?${EXPLAIN}`, named("no"));
  const message = 'configmaps "no" is forbidden: it is called so';
  expect(code).toBe(200);
  expect(body).toMatchObject({ code: 403, failure: { reason: "Forbidden", message } });
  expect(body.steps.at(-1)).toMatchObject({ name: "Refusing", phase: "validate", refusal: { message } });
  expect(body).not.toHaveProperty("result");
});

test("failures outside of admission are reported, too", async () => {
  const { body } = await ask("POST", `${CONFIGMAPS}?${EXPLAIN}`, { ...named("a"), data: { k: 1 } });
  expect(body).toMatchObject({ code: 400, steps: [], failure: { status: "Failure" } });
});

test("updates, applies and deletes are explained as well", async () => {
  await ask("POST", CONFIGMAPS, named("b"));
  const of = async (method: string, query: string, body?: object, type?: string) =>
    (await ask(method, `${CONFIGMAPS}/b?${EXPLAIN}${query}`, body, type)).body;
  const update = await of("PUT", "", named("b"));
  expect(update).toMatchObject({ operation: "UPDATE", code: 200, object: { name: "b" } });
  const applied = await of(
    "PATCH",
    "&fieldManager=m",
    { apiVersion: "v1", kind: "ConfigMap", ...named("b") },
    "application/apply-patch+yaml",
  );
  expect(applied).toMatchObject({ operation: "UPDATE", code: 200 });
  expect(await of("DELETE", "")).toMatchObject({ operation: "DELETE", code: 200 });
});

test("an explanation of a write that is no dry run is refused", async () => {
  const { code, body } = await ask("POST", `${CONFIGMAPS}?explain`, named("c"));
  expect(code).toBe(400);
  expect(body).toMatchObject({ message: expect.stringContaining("expected dryRun=All together with explain") });
  expect((await ask("GET", `${CONFIGMAPS}/c`)).code).toBe(404);
});

test("an object with many members is explained without what each step changes, and the report says so", async () => {
  const data = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, "v"]));
  const { body } = await ask("POST", `${CONFIGMAPS}?${EXPLAIN}`, { ...named("large"), data });
  expect(body).toMatchObject({ code: 201, changesLeftOut: true });
  expect(body.steps.find(({ name }) => name === "Stamp")).toMatchObject({ changes: [], warnings: ["it was stamped"] });
  const small = await ask("POST", `${CONFIGMAPS}?${EXPLAIN}`, named("small"));
  expect(small.body).not.toHaveProperty("changesLeftOut");
});

test("a delete of a collection is not explained, and deletes nothing", async () => {
  await ask("POST", CONFIGMAPS, named("stays"));
  const { code, body } = await ask("DELETE", `${CONFIGMAPS}?explain`);
  expect([code, body]).toMatchObject([400, { message: expect.stringContaining("got it with a collection") }]);
  expect((await ask("GET", `${CONFIGMAPS}/stays`)).code).toBe(200);
});
