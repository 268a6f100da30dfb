/** A definition that waits for its objects, and is changed meanwhile: CRD-12. */
import { expect, test } from "vitest";
import { type Members, expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes" });
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Case {
  readonly group: string;
  readonly path: string;
  readonly objects: string;
}

const documentOf = (group: string): Members => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `locks.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "locks", kind: "Lock" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

interface Definition {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly spec: { readonly versions: readonly [{ readonly schema: { openAPIV3Schema: Members } }] };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly message: string }[] };
}

const terminating = (definition: unknown): string | undefined =>
  (definition as Definition).status.conditions.find(({ type }) => type === "Terminating")?.message;

/** A definition that is being deleted and has two objects, each with a finalizer of its own. */
async function waiting(): Promise<Case> {
  const group = `${fresh("going")}.example.com`;
  const path = `${DEFINITIONS}/locks.${group}`;
  const objects = `/apis/${group}/v1/namespaces/default/locks`;
  const document = documentOf(group);
  expectStatus(
    await api.post(DEFINITIONS, { ...document, metadata: { name: `locks.${group}`, finalizers: ["keep"] } }),
    201,
  );
  await api.until(objects, ({ status }) => status === 200);
  for (const name of ["a", "b"]) {
    const metadata = { name, finalizers: [`example.com/${name}`] };
    expectStatus(await api.post(objects, { apiVersion: `${group}/v1`, kind: "Lock", metadata }), 201);
  }
  expectStatus(await api.delete(path), 200);
  await api.until(path, ({ body }) => terminating(body)?.includes("example.com") === true);
  return { group, path, objects };
}

const release = (path: string) => api.merge(path, { metadata: { finalizers: null } });

test("CRD-12: the condition names the finalizers that hold objects", async () => {
  const { path, objects } = await waiting();
  expect(terminating((await api.get(path)).body)).toBe(
    "CustomResource deletion is in progress; finalizers of remaining objects: example.com/a, example.com/b",
  );
  await release(`${objects}/a`);
  const { body } = await api.until(path, (answer) => terminating(answer.body)?.includes("example.com/a") === false);
  expect(terminating(body)).toBe(
    "CustomResource deletion is in progress; finalizers of remaining objects: example.com/b",
  );
});

test("CRD-12: it is changed in every way while it waits, and goes when its objects and finalizers have", async () => {
  const { group, path, objects } = await waiting();
  expect((await api.merge(path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  expect((await api.apply(path, "deployer", documentOf(group), { force: "true" })).status).toBe(200);
  const definition = (await api.get(path)).body as unknown as Definition & Members;
  definition.spec.versions[0].schema.openAPIV3Schema = { type: "object", description: "changed" };
  expect((await api.put(path, definition)).status).toBe(200);
  const remove = [{ op: "remove", path: "/metadata/finalizers/0" }];
  expect((await api.jsonPatch(path, remove)).body.metadata).toMatchObject({
    finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
  });
  for (const name of ["a", "b"]) expect((await release(`${objects}/${name}`)).status).toBe(200);
  expect((await api.until(path, ({ status }) => status === 404)).status).toBe(404);
});
