import { describe, expect, test } from "vitest";
import { neutral } from "../../meta/dialect.ts";
import { failureOf } from "../kind/errors.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";
import type { TestParts } from "../testing/registry.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";

/** One widget, and what an update of it with some metadata comes to. */
async function made(more: Partial<ResourceDefinition> = {}, parts: TestParts = {}) {
  const { kinds } = await registryOf([widget("v1", more)], parts);
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  const body = (metadata: object) => bodyOf({ metadata: { name: "a", ...metadata }, spec: { size: "2" } });
  const { object } = await widgets.create(named(""), body({}), WRITE, CALLER);
  const put = (metadata: object, ifMatch = "", name = "a") =>
    widgets.update(named(name), body({ name, ...metadata }), WRITE, { ...CALLER, ifMatch }).then(
      ({ code }) => code,
      (error: unknown) => failureOf(error).code,
    );
  return { put, version: object.metadata.resourceVersion!, uid: object.metadata.uid! };
}

test("DEC-31: a version in the body must be that of the object; none and 0 mean any, and a text is no version", async () => {
  const { put, version } = await made();
  expect(await put({ resourceVersion: "999" })).toBe(409);
  expect(await put({ resourceVersion: "old" })).toBe(400);
  for (const resourceVersion of [version, "", "0", null]) expect(await put({ resourceVersion })).toBe(200);
});

test("DEC-31: a kind may demand a version", async () => {
  const { put, version } = await made({ versionedUpdate: true });
  for (const resourceVersion of ["", "0", null]) expect(await put({ resourceVersion })).toBe(422);
  expect(await put({ resourceVersion: version })).toBe(200);
});

test("DEC-1: a uid in the body must be that of the object", async () => {
  const { put, uid } = await made();
  expect(await put({ uid: "another" })).toBe(409);
  expect(await put({ uid })).toBe(200);
});

test("DEC-32: where a PUT creates, it can name no uid, and no version that is no number", async () => {
  const { put } = await made({ createOnUpdate: true });
  expect(await put({ uid: "x" }, "", "new")).toBe(409);
  expect(await put({ resourceVersion: "old" }, "", "new")).toBe(400);
  expect(await put({}, "", "new")).toBe(201);
});

test("DEC-32: where a PUT creates, one of a status does, too", async () => {
  const status = { status: { verbs: ["get", "update"], resetFields: ["spec"] } } as const;
  const { kinds } = await registryOf([widget("v1", { createOnUpdate: true, subresources: status })]);
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  const sent = bodyOf({ metadata: { name: "a" }, spec: { size: "2" } });
  const { code, object } = await widgets.update({ ...named("a"), subresource: "status" }, sent, WRITE, CALLER);
  expect([code, object["spec"], object.metadata.managedFields]).toEqual([201, { size: "2" }, undefined]);
});

describe("AMB-36: If-Match", () => {
  test("names the version, quoted or not, among others, or any", async () => {
    for (const tag of [(v: string) => v, (v: string) => `"${v}"`, (v: string) => `W/"${v}"`, () => "*"]) {
      const { put, version } = await made({}, { dialect: neutral });
      expect(await put({}, `"7000", ${tag(version)}`)).toBe(200);
    }
  });

  test("refuses another version, and what is not there", async () => {
    const { put } = await made({ createOnUpdate: true }, { dialect: neutral });
    expect(await put({}, '"7000"')).toBe(409);
    expect(await put({}, "*", "missing")).toBe(409);
  });

  test("is nothing in the kubernetes dialect", async () => {
    const { put } = await made();
    expect(await put({}, '"7000"')).toBe(200);
  });
});
