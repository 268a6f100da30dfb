/** Any definition and any object: taken or refused, but never too much for the server. Each request is metered. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Value } from "../../src/value/value.ts";
import { fresh, serve } from "../rules/api.ts";
import { RUNS, mutated, schemas, values } from "./schemas.ts";

const api = serve();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definitionOf(group: string, spec: unknown): Value {
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: { group, scope: "Cluster", names, versions: [version] },
  } as unknown as Value;
}

test("objects of any schema are taken or refused, however they are sent", { timeout: 600_000 }, async () => {
  let served = 0;
  const property = fc.asyncProperty(
    schemas,
    fc.array(values, { minLength: 3, maxLength: 3 }),
    async (schema, specs) => {
      const group = `${fresh("g")}.example.com`;
      const made = await api.post(DEFINITIONS, definitionOf(group, schema) as object);
      expect([201, 422]).toContain(made.status);
      if (made.status !== 201) return;
      await api.settled();
      served++;
      const items = `/apis/${group}/v1/things`;
      for (const spec of specs) {
        const body = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "a" }, spec };
        const answers = [
          await api.post(items, body),
          await api.apply(`${items}/a`, "m", body, { force: "true" }),
          await api.merge(`${items}/a`, { spec }),
          await api.get(`${items}/a`),
        ];
        for (const { status } of answers) expect(status).toBeLessThan(500);
      }
      for (const path of [`/openapi/v3/apis/${group}/v1`, `${DEFINITIONS}/things.${group}`]) {
        expect((await api.get(path)).status).toBe(200);
      }
      await api.delete(`${DEFINITIONS}/things.${group}`);
      await api.settled();
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(RUNS / 4) });
  expect(served).toBeGreaterThan(0);
});

test("definitions with something broken are refused, or taken and served", { timeout: 600_000 }, async () => {
  const broken = schemas.chain((schema) => mutated(definitionOf("broken.example.com", schema)));
  const property = fc.asyncProperty(broken, async (body) => {
    const made = await api.post(DEFINITIONS, body as object);
    expect(made.status).toBeLessThan(500);
    if (made.status !== 201) return;
    await api.settled();
    expect((await api.get("/openapi/v2")).status).toBe(200);
    await api.delete(`${DEFINITIONS}/${String(made.at("metadata.name"))}`);
    await api.settled();
  });
  await fc.assert(property, { numRuns: RUNS });
});
