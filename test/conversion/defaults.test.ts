/** Defaults of objects whose versions differ in what they fill in: CRD-20, CRD-41. */
import { beforeAll, expect, test, vi } from "vitest";
import type { Members } from "../rules/answer.ts";
import { fresh, serve } from "../rules/api.ts";

const GROUP = "defaults.example.com";
const api = serve({ dialect: "kubernetes" });
const at = (version: string, name = ""): string =>
  `/apis/${GROUP}/${version}/namespaces/default/packs${name === "" ? "" : `/${name}`}`;
const body = (version: string, name: string, spec: Members): Members => ({
  apiVersion: `${GROUP}/${version}`,
  kind: "Pack",
  metadata: { name },
  spec,
});
const text = (byDefault?: string): Members => ({
  type: "string",
  ...(byDefault === undefined ? {} : { default: byDefault }),
});
const specOf = async (version: string, name: string): Promise<unknown> =>
  (await api.get(at(version, name))).body["spec"];

/** A version stored by default, and what it fills in: a text, and a member of each element. */
const version = (name: string, policy?: string, size?: number): Members => ({
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: text(),
            policy: text(policy),
            parts: {
              type: "array",
              items: {
                type: "object",
                properties: { k: text(), size: { type: "integer", ...(size === undefined ? {} : { default: size }) } },
              },
            },
          },
        },
      },
    },
  },
});

beforeAll(async () => {
  const { status } = await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `packs.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural: "packs", kind: "Pack" },
      versions: [version("v1", "Background", 7), version("v2"), version("v3", "Three", 3)],
    },
  });
  if (status !== 201) throw new Error(`the definition was answered with ${status}, expected 201`);
  await vi.waitFor(async () => {
    if ((await api.get(at("v3"))).status !== 200) throw new Error("the kind is not served yet");
  });
});

const SENT = { a: "1", parts: [{ k: "x" }] };
const STORED = { a: "1", policy: "Background", parts: [{ k: "x", size: 7 }] };

test("CRD-20, CRD-41: what the stored version fills in is seen through every version, in every verb", async () => {
  const name = fresh("pack");
  expect((await api.post(at("v2"), body("v2", name, SENT))).body["spec"]).toEqual(STORED);
  for (const read of ["v1", "v2", "v3"]) expect([read, await specOf(read, name)]).toEqual([read, STORED]);
  const { items } = (await api.get(at("v3"))).body as unknown as { readonly items: readonly Members[] };
  expect(items.find(({ metadata }) => (metadata as Members)["name"] === name)?.["spec"]).toEqual(STORED);
  const now = (await api.get(at("v2", name))).body;
  const put = await api.put(at("v2", name), now);
  expect([put.status, put.body["spec"], (put.body["metadata"] as Members)["resourceVersion"]]).toEqual([
    200,
    STORED,
    (now["metadata"] as Members)["resourceVersion"],
  ]);
});

test("CRD-20, CRD-41: an apply answers the same", async () => {
  const name = fresh("pack");
  expect((await api.apply(at("v2", name), "one", body("v2", name, SENT))).body["spec"]).toEqual(STORED);
  for (const read of ["v1", "v2", "v3"]) expect([read, await specOf(read, name)]).toEqual([read, STORED]);
});

test("CRD-20, CRD-41: what the version of the request fills in comes first", async () => {
  const name = fresh("pack");
  const filled = { a: "1", policy: "Three", parts: [{ k: "x", size: 3 }] };
  expect((await api.post(at("v3"), body("v3", name, SENT))).body["spec"]).toEqual(filled);
  for (const read of ["v1", "v2", "v3"]) expect([read, await specOf(read, name)]).toEqual([read, filled]);
});

test("CRD-20, CRD-41: a dry run answers what would be read, defaults of the stored version included, and stores nothing", async () => {
  const [made, name] = [fresh("pack"), fresh("pack")];
  const dryRun = { dryRun: "All" };
  const members = (more: Members): Members => ({ ...body("v2", name, {}), ...more });
  await api.post(at("v2"), body("v2", name, { a: "1", policy: "Own", parts: [] }));
  const before = (await api.get(at("v2", name))).body;
  const { resourceVersion } = before["metadata"] as Members;
  const answers = {
    create: await api.post(at("v2"), body("v2", made, SENT), dryRun),
    "create by apply": await api.apply(at("v2", made), "one", body("v2", made, SENT), dryRun),
    update: await api.put(at("v2", name), members({ metadata: before["metadata"]!, spec: SENT }), dryRun),
    patch: await api.merge(at("v2", name), { spec: { policy: null, ...SENT } }, dryRun),
    apply: await api.apply(at("v2", name), "one", body("v2", name, { parts: SENT.parts }), {
      ...dryRun,
      force: "true",
    }),
  };
  const specs = Object.fromEntries(Object.entries(answers).map(([verb, answer]) => [verb, answer.body["spec"]]));
  expect(specs).toEqual({
    create: STORED,
    "create by apply": STORED,
    update: STORED,
    patch: STORED,
    apply: { a: "1", policy: "Own", parts: STORED.parts },
  });
  const versions = Object.values(answers).map(({ body: { metadata } }) => (metadata as Members)["resourceVersion"]);
  expect(versions).toEqual([undefined, undefined, resourceVersion, resourceVersion, resourceVersion]);
  expect(Object.values(answers).map(({ body: { apiVersion } }) => apiVersion)).toEqual(Array(5).fill(`${GROUP}/v2`));
  expect((await api.get(at("v2", made))).status).toBe(404);
  expect((await api.get(at("v2", name))).body).toEqual(before);
});

test("CRD-20, CRD-41: a dry run in the stored version answers what that version fills in", async () => {
  const name = fresh("pack");
  expect((await api.post(at("v1"), body("v1", name, SENT), { dryRun: "All" })).body["spec"]).toEqual(STORED);
});
