import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import { decodeJson } from "../../value/json.ts";
import { decodeProtobuf } from "./index.ts";
import { encodeProtobuf } from "./envelope.ts";
import { protobufKinds, wireForm } from "./testing/kinds.ts";

// Written by the types of k8s.io/api, see test/clients/go-fixtures.
const FOLDER = new URL("../../../test/fixtures/protobuf/", import.meta.url);
const bytesOf = (name: string): Buffer => readFileSync(new URL(name, FOLDER));

const kinds = protobufKinds(kubernetes).filter(({ kind }) => kind.kind !== "Status");

test("there is a body of every kind that has a protobuf form, and of no other", () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".full.bin"));
  expect(names.toSorted()).toEqual(kinds.map(({ name }) => `${name}.full.bin`).toSorted());
});

describe.each(kinds)("a $name as Go clients send it", (kind) => {
  test.each(["bare", "full"])("%s: protobuf and JSON are the same object", (form) => {
    const fromProtobuf = decodeProtobuf(bytesOf(`${kind.name}.${form}.bin`), kind.kind);
    const fromJson = decodeJson(bytesOf(`${kind.name}.${form}.json`)).value as Record<string, never>;
    expect({ apiVersion: fromProtobuf["apiVersion"], kind: fromProtobuf["kind"] }).toEqual({
      apiVersion: fromJson["apiVersion"],
      kind: fromJson["kind"],
    });
    expect(wireForm(kind, fromProtobuf)).toEqual(wireForm(kind, fromJson));
  });

  test("full: what we write is what Go writes, byte by byte", () => {
    const body = bytesOf(`${kind.name}.full.bin`);
    const object = wireForm(kind, decodeJson(bytesOf(`${kind.name}.full.json`)).value);
    const written = encodeProtobuf(object, kind.kind);
    // Go puts two empty texts behind the object: no content encoding, no content type.
    expect(Buffer.concat([written, Buffer.from([0x1a, 0, 0x22, 0])]).equals(body)).toBe(true);
  });
});

test("CONV-12: the neutral dialect has its own names for vendors, under the same numbers", () => {
  const [there, here] = [kubernetes, neutral].map(
    (dialect) => protobufKinds(dialect).find(({ name }) => name === "persistentvolume.v1")!.kind,
  );
  const disk = { diskName: "d", diskURI: "u" };
  const body = encodeProtobuf({ spec: { azureDisk: disk } }, there!);
  expect(decodeProtobuf(body, here!)["spec"]).toEqual({ cloudBDisk: disk });
});
