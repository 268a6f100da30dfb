/**
 * Definitions with the shapes of well-known operators: each is served, judges its objects, and explains itself. Each request
 * is metered: none takes the loop for long (see docs/contributing/testing.md).
 */
import { describe, expect, test } from "vitest";
import { type Answer, type Members, expectStatus } from "../rules/answer.ts";
import { fresh, serve } from "../rules/api.ts";
import { largest } from "./largest.ts";
import type { Sample } from "./sample.ts";
import { SAMPLES } from "./shapes/index.ts";
import type { Json } from "./words.ts";

const api = serve();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const KIB = 1024;

const established = ({ body }: Answer): boolean =>
  ((body as { status?: { conditions?: Json[] } }).status?.conditions ?? []).some(
    ({ type, status }) => type === "Established" && status === "True",
  );

/** The path of the objects of a sample. */
const pathOf = ({ group, version, plural, scope }: Sample): string =>
  `/apis/${group}/${version}${scope === "Cluster" ? "" : "/namespaces/default"}/${plural}`;

const bodyOf = ({ group, version, kind }: Sample, name: string, body: Json): Json => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name },
  ...body,
});

/** The members that the schema describes. */
function described(object: Members): Members {
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = object;
  return rest;
}

/** A schema without what is put into embedded objects when it is published. */
function withoutHeads(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const members = Object.entries(schema).map(([name, below]) => [name, withoutHeads(below)] as const);
  const isEmbedded = (schema as Json)["x-kubernetes-embedded-resource"] === true;
  return Object.fromEntries(members.filter(([name]) => !isEmbedded || (name !== "properties" && name !== "required")));
}

/** A value without members that are null: who applies one says nothing of it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

async function define({ definition, plural, group }: Sample): Promise<void> {
  expectStatus(await api.post(DEFINITIONS, definition), 201);
  const found = await api.until(`${DEFINITIONS}/${plural}.${group}`, established);
  expect(established(found)).toBe(true);
}

async function create(sample: Sample, name: string): Promise<Answer> {
  const made = await api.post(pathOf(sample), bodyOf(sample, name, sample.valid), { fieldValidation: "Warn" });
  expectStatus(made, 201);
  return api.get(`${pathOf(sample)}/${name}`);
}

describe.each(SAMPLES.map((sample) => [sample.of, sample] as const))("of %s", (_, sample) => {
  const { group, version, kind, definition, valid, becomes = valid, misfits } = sample;

  test("CRD-2, CRD-31, CRD-43: the definition is served and published, and objects that fit are kept", async () => {
    await define(sample);
    expect(described((await create(sample, fresh("fits"))).body)).toEqual(becomes);
    const documents = await api.get(`/openapi/v3/apis/${group}/${version}`);
    const published = Object.values(documents.at("components.schemas") as Json).find((one) =>
      JSON.stringify((one as Json)["x-kubernetes-group-version-kind"] ?? "").includes(`"kind":"${kind}"`),
    ) as { properties: Json };
    const sent = (definition as { spec: { versions: { name: string; schema: { openAPIV3Schema: Json } }[] } }).spec
      .versions;
    const { properties } = sent.find(({ name }) => name === version)!.schema.openAPIV3Schema as { properties: Members };
    expect(withoutHeads(described(published.properties))).toEqual(withoutHeads(described(properties)));
  });

  test("server-side apply of the same object changes nothing and owns what was sent", async () => {
    const name = fresh("applied");
    const path = `${pathOf(sample)}/${name}`;
    const intent = bodyOf(sample, name, withoutNulls(becomes) as Json);
    const first = await api.apply(path, "m", intent);
    expectStatus(first, 201);
    const again = await api.apply(path, "m", intent);
    expectStatus(again, 200);
    expect(again.resourceVersion).toBe(first.resourceVersion);
    expect(described(again.body)).toEqual(withoutNulls(becomes));
  });

  test.each(misfits.map((misfit) => [misfit.why, misfit] as const))("CRD-45: refused: %s", async (__, misfit) => {
    const answer = await api.post(pathOf(sample), bodyOf(sample, fresh("misfit"), misfit.body));
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(misfit.causes);
  });
});

test("samples have the sizes that real definitions have", () => {
  const sizes = SAMPLES.map(({ definition }) => JSON.stringify(definition).length);
  expect(sizes.filter((size) => size > 5 * KIB).length).toBeGreaterThan(20);
  expect(sizes.filter((size) => size > 40 * KIB).length).toBeGreaterThan(4);
});

test("CRD-20: an object is read in each version that is served", async () => {
  for (const sample of SAMPLES.filter(({ versions }) => versions.length > 1)) {
    const name = fresh("versions");
    await create(sample, name);
    for (const { name: version, more = {} } of sample.versions) {
      const answer = await api.get(`${pathOf({ ...sample, version })}/${name}`);
      const isServed = more["served"] !== false;
      expectStatus(answer, isServed ? 200 : 404);
      expect(answer.at("apiVersion")).toBe(isServed ? `${sample.group}/${version}` : "v1");
      expect(answer.warnings).toHaveLength(more["deprecated"] && isServed ? 1 : 0);
    }
  }
});

test("CRD-31: a definition of a megabyte is served, and no turn of it is long", { timeout: 120_000 }, async () => {
  const sample = largest();
  expect(JSON.stringify(sample.definition).length).toBeGreaterThan(1000 * KIB);
  await define(sample);
  expect(described((await create(sample, fresh("fits"))).body)).toEqual(sample.becomes);
  for (const { body, causes } of sample.misfits) {
    const answer = await api.post(pathOf(sample), bodyOf(sample, fresh("misfit"), body));
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(causes);
  }
  for (const path of ["/openapi/v2", `/openapi/v3/apis/${sample.group}/v1`, DEFINITIONS])
    expectStatus(await api.get(path), 200);
  const definition = `${DEFINITIONS}/${sample.plural}.${sample.group}`;
  expectStatus(await api.apply(definition, "m", sample.definition, { force: "true" }), 200);
  expectStatus(await api.merge(definition, { spec: { names: { categories: ["all"] } } }), 200);
  await api.settled();
  expectStatus(await api.delete(definition), 200);
  await api.settled();
});
