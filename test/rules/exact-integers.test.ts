/** Integers of 64 bits that no double holds keep their digits on every way in and out (doc 2, CSID-12). */
import { describe, expect, test } from "vitest";
import { JSON_PATCH, MERGE, STRATEGIC, fresh, serve } from "./api.ts";
import type { Answer } from "./answer.ts";

const kube = serve({ dialect: "kubernetes" });

const DRIVERS = "/apis/storage.k8s.io/v1/csidrivers";
const BIG = "9007199254740993";
const NEXT = "9007199254740994";
const MEMBER = "nodeAllocatableUpdatePeriodSeconds";
const IDENTITY = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver" };

/** A JSON body whose number no `JSON.stringify` could write. */
const body = (name: string, digits: string): string =>
  `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"${name}"},"spec":{"${MEMBER}":${digits}}}`;

const digitsOf = (answer: Answer): string | undefined => new RegExp(`"?${MEMBER}"?: ?(-?\\d+)`).exec(answer.text)?.[1];

async function made(digits = BIG): Promise<string> {
  const name = fresh("d");
  const answer = await kube.post(DRIVERS, body(name, digits));
  expect([answer.status, digitsOf(answer)]).toEqual([201, digits]);
  return `${DRIVERS}/${name}`;
}

describe("in", () => {
  test("JSON and YAML", async () => {
    expect(digitsOf(await kube.get(await made()))).toBe(BIG);
    const name = fresh("d");
    const yaml = `metadata:\n  name: ${name}\nspec:\n  ${MEMBER}: ${BIG}\n`;
    const answer = await kube.post(DRIVERS, yaml, {}, { "content-type": "application/yaml" });
    expect([answer.status, digitsOf(answer)]).toEqual([201, BIG]);
  });

  test("every kind of patch, and PUT", async () => {
    const item = await made();
    const spec = (digits: string): string => `{"spec":{"${MEMBER}":${digits}}}`;
    expect(digitsOf(await kube.patch(item, MERGE, spec(NEXT)))).toBe(NEXT);
    expect(digitsOf(await kube.patch(item, STRATEGIC, spec(BIG)))).toBe(BIG);
    const path = `"path":"/spec/${MEMBER}"`;
    const operations = `[{"op":"test",${path},"value":${BIG}},{"op":"replace",${path},"value":${NEXT}}]`;
    expect(digitsOf(await kube.patch(item, JSON_PATCH, operations))).toBe(NEXT);
    expect((await kube.patch(item, JSON_PATCH, operations)).status).toBe(422);
  });

  test("what fits no 64 bits is refused", async () => {
    expect((await kube.post(DRIVERS, body(fresh("d"), "9223372036854775808"))).status).toBe(400);
    expect((await kube.post(DRIVERS, body(fresh("d"), "-9007199254740993"))).status).toBe(422);
  });
});

describe("equality", () => {
  test("the same digits are no change, the next ones are", async () => {
    const item = await made();
    const { resourceVersion } = await kube.get(item);
    const name = item.split("/").at(-1)!;
    const put = (digits: string) =>
      kube.put(
        item,
        body(name, digits).replace("{", "{").replace('"name"', `"resourceVersion":"${resourceVersion}","name"`),
      );
    expect((await put(BIG)).resourceVersion).toBe(resourceVersion);
    const changed = await put(NEXT);
    expect([changed.status, digitsOf(changed)]).toEqual([200, NEXT]);
    expect(changed.resourceVersion).not.toBe(resourceVersion);
  });

  test("an apply shares the same digits and conflicts over others", async () => {
    const name = fresh("d");
    const item = `${DRIVERS}/${name}`;
    const apply = (manager: string, digits: string, query = {}) => kube.apply(item, manager, body(name, digits), query);
    expect(digitsOf(await apply("a", BIG))).toBe(BIG);
    expect((await apply("b", BIG)).status).toBe(200);
    const conflict = await apply("c", NEXT);
    expect([conflict.status, conflict.fields]).toEqual([409, [`.spec.${MEMBER}`]]);
    expect(digitsOf(await apply("c", NEXT, { force: "true" }))).toBe(NEXT);
    expect(digitsOf(await kube.apply(item, "c", { ...IDENTITY, metadata: { name } }))).toBeUndefined();
  });
});

describe("out", () => {
  test("JSON, pretty JSON, YAML, lists and watches", async () => {
    const item = await made();
    const name = item.split("/").at(-1)!;
    const own = { fieldSelector: `metadata.name=${name}` };
    expect(digitsOf(await kube.get(item, { pretty: "true" }))).toBe(BIG);
    expect(digitsOf(await kube.get(item, {}, { accept: "application/yaml" }))).toBe(BIG);
    expect(digitsOf(await kube.get(DRIVERS, own))).toBe(BIG);
    expect(digitsOf(await kube.get(DRIVERS, own, { accept: "application/yaml" }))).toBe(BIG);
    const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
    expect(digitsOf(await kube.get(DRIVERS, { ...own, includeObject: "Object" }, table))).toBe(BIG);
    using watch = await kube.watch(DRIVERS, own);
    await watch.next();
    expect(watch.lines[0]).toContain(`"${MEMBER}":${BIG}`);
  });

  test("a later write of something else keeps them", async () => {
    const item = await made();
    await kube.merge(item, { metadata: { labels: { a: "b" } } });
    expect(digitsOf(await kube.get(item))).toBe(BIG);
  });
});
