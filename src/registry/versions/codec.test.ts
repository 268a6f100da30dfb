import { expect, test } from "vitest";
import { cacheResource, encodeObject } from "./codec.ts";

test("the bytes of a record and of an entry keep no more memory than they are", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "é", namespace: "default" } };
  const record = encodeObject(object as never);
  const { bytes } = cacheResource("/core/configmaps/").factory("default/é", record, 7);
  expect([record.buffer.byteLength, bytes.buffer.byteLength]).toEqual([record.length, bytes.length]);
  expect(JSON.parse(record.toString())).toEqual(object);
});
