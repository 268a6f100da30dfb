import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StructType, Type } from "../../apply/schema/schema.ts";
import { type JsonSchema, structOf, typeOf } from "../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import { formatMicroTime, formatTime } from "../../meta/time.ts";
import { configMap } from "../../kinds/core/v1/configmap.ts";
import { secret } from "../../kinds/core/v1/secret.ts";
import {
  DELETE_OPTIONS,
  ProtobufError,
  type ProtobufKind,
  STATUS,
  decodeProtobuf,
  encodeResponse,
  encodeEvent,
  hasProtobuf,
} from "./index.ts";
import { encodeProtobuf } from "./envelope.ts";
import { fields } from "./testing/fields.ts";
import { protobufKinds, wireForm } from "./testing/kinds.ts";
import { WireReader } from "../encoding/wire-reader.ts";
import { WireWriter } from "../encoding/wire-writer.ts";
import { JsonNumber } from "../../value/value.ts";
import { cpuMillis } from "../../util/testing/cpu-time.ts";
import { expectNotLong } from "../../util/testing/slices.ts";

/** Values of a type as a client may send them; empty lists and maps are left out, since protobuf cannot represent them. */
function valuesOf(type: Type, depth = 0): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "scalar":
      return scalars(type.scalar, type.format);
    case "any": {
      const either = type.schema["x-keelson-either"];
      if (either) return fc.oneof(...either.map((one) => valuesOf(typeOf(one), depth + 1)));
      return fc.dictionary(fc.string(), fc.constant({}), { minKeys: 1, maxKeys: 3 });
    }
    case "list":
      return fc.array(valuesOf(type.item, depth + 1), { minLength: 1, maxLength: 2 });
    case "map":
      return fc.dictionary(fc.string(), valuesOf(type.item, depth + 1), { minKeys: 1, maxKeys: 3 });
    case "struct": {
      const names = membersOf(type);
      return fc
        .subarray(names, { maxLength: Math.min(names.length, depth > 5 ? 1 : depth > 2 ? 3 : 6) })
        .chain((some) =>
          fc.record(Object.fromEntries(some.map((name) => [name, valuesOf(type.fields.get(name)!.type, depth + 1)]))),
        );
    }
  }
}

/** The members of a message: the envelope has the kind of an object, and a nested object has none. */
const membersOf = ({ fields: members }: StructType): string[] =>
  [...members.keys()].filter((name) => (name !== "apiVersion" && name !== "kind") || !isKind(members));

/** Whether it is an object, or DeleteOptions. */
const isKind = (members: StructType["fields"]): boolean => members.has("metadata") || members.has("propagationPolicy");

/** A value of a type with every member set; a recursive struct is set once. */
function fullOf(type: Type, above: readonly Type[] = []): unknown {
  switch (type.kind) {
    case "scalar":
      return fc.sample(scalars(type.scalar, type.format).filter(Boolean), { numRuns: 1, seed: 7 })[0];
    case "any":
      return type.schema["x-keelson-either"]
        ? fullOf(typeOf(type.schema["x-keelson-either"][0]!), above)
        : { "f:a": {} };
    case "list":
      return [fullOf(type.item, above)];
    case "map":
      return { k: fullOf(type.item, above) };
    case "struct": {
      if (above.includes(type)) return {};
      const members = membersOf(type).map((name) => [name, type.fields.get(name)!.type] as const);
      return Object.fromEntries(members.map(([name, member]) => [name, fullOf(member, [...above, type])]));
    }
  }
}

const SECONDS = { min: -62_135_596_799, max: 253_402_300_799 };

function scalars(scalar: string, format: string | undefined): fc.Arbitrary<unknown> {
  switch (format) {
    case "date-time":
      return fc.integer(SECONDS).map((s) => formatTime(s * 1000));
    case "micro-time":
      return fc
        .tuple(fc.integer(SECONDS), fc.nat(999_999))
        .map(([s, us]) => formatMicroTime(s * 1000 + Math.floor(us / 1000), us));
    case "quantity":
      return fc.constantFrom("0", "1Gi", "500m", "3");
    case "byte":
      return fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "int32":
      return fc.integer();
    case "int64":
      return fc.maxSafeInteger();
    default:
      if (scalar === "boolean") return fc.boolean();
      if (scalar === "json") return fc.dictionary(fc.string(), fc.array(fc.integer()), { minKeys: 1, maxKeys: 3 });
      if (scalar === "number")
        return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Object.is(one, -0));
      return scalar === "intOrString" ? fc.oneof(fc.integer(), fc.string()) : fc.string({ unit: "grapheme" });
  }
}

describe.each([kubernetes, neutral])("round trips in the $name dialect", (dialect) => {
  test.each(protobufKinds(dialect))("$name: every member of the schema has a number", (kind) => {
    const full = fullOf(structOf(kind.kind.schema as JsonSchema));
    const read = decodeProtobuf(encodeProtobuf(full as object, kind.kind), kind.kind);
    expect(read).toMatchObject(full as object);
  });

  test.each(protobufKinds(dialect))("$name: what is written reads back as the same object", (kind) => {
    const values = valuesOf(structOf(kind.kind.schema as JsonSchema));
    fc.assert(
      fc.property(values, (value) => {
        const object = wireForm(kind, structuredClone(value) as never);
        const read = decodeProtobuf(encodeProtobuf(object, kind.kind), kind.kind);
        expect(wireForm(kind, read)).toEqual(object);
      }),
      { numRuns: 60 },
    );
  });
});

/** The result of decoding: an object, or a ProtobufError; any other error fails the test. */
function outcome(bytes: Uint8Array, kind: ProtobufKind): object {
  try {
    return decodeProtobuf(bytes, kind);
  } catch (error) {
    if (error instanceof ProtobufError) return error;
    throw error;
  }
}

describe("bodies that are none", () => {
  const body = encodeProtobuf({ metadata: { name: "c", labels: { a: "b" } }, data: { k: "v" } }, configMap);
  const reads = (bytes: Uint8Array) => () => decodeProtobuf(bytes, configMap);
  /** An envelope around a message that the test encodes. */
  const around = (message: readonly number[]): Uint8Array =>
    Uint8Array.from([...Buffer.from("k8s\0"), 0x12, message.length, ...message]);

  test("arbitrary bytes give an object or an error of ours, nothing else", () => {
    const kinds = protobufKinds(kubernetes);
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.tuple(fc.nat(60), fc.nat(5), fc.uint8Array({ maxLength: 6 })), { maxLength: 30 })
        .map((sent) => sent.flatMap(([number, wire, bytes]) => [((number % 16) << 3) | wire, bytes.length, ...bytes])),
    );
    fc.assert(
      fc.property(fc.constantFrom(...kinds), message, fc.boolean(), (kind, bytes, enveloped) => {
        const sent = enveloped
          ? around([...bytes].slice(0, 120))
          : Uint8Array.from([...Buffer.from("k8s\0"), ...bytes]);
        expect(outcome(sent, kind.kind)).toBeTypeOf("object");
      }),
      { numRuns: 3000 },
    );
  });

  test("bytes of a good body that are changed or cut give an object or an error of ours", () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
        const changed = cut ? Buffer.from(body.subarray(0, at)) : Buffer.from(body);
        if (!cut) changed[at] = byte;
        expect(outcome(changed, configMap)).toBeTypeOf("object");
      }),
      { numRuns: 3000 },
    );
  });

  test("a body without the four bytes is refused", () => {
    expect(reads(body.subarray(4))).toThrow("begins with the four bytes");
    expect(reads(new Uint8Array())).toThrow(ProtobufError);
    expect(reads(Buffer.from('{"kind":"ConfigMap"}'))).toThrow(ProtobufError);
  });

  test("DEC-18: a body of another kind is refused by name", () => {
    const other = encodeProtobuf({ metadata: { name: "c" } }, secret);
    expect(reads(other)).toThrow('expected a body of kind "ConfigMap", got "Secret"');
  });

  test("unknown fields are refused with their path, empty ones are skipped", () => {
    expect(reads(around([0x7a, 1, 65]))).toThrow("field 15");
    expect(reads(around([0x0a, 4, 0xfa, 1, 1, 65]))).toThrow("metadata: expected known fields only, got field 31");
    // Field 15 of ObjectMeta was the name of the cluster; old clients send it empty.
    expect(reads(around([0x0a, 2, 0x7a, 0]))()).toEqual({ metadata: {} });
    expect(reads(around([0x78, 0, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0x7d, 0, 0, 0, 0]))()).toEqual({});
    expect(reads(around([0x7d, 0, 0, 0, 1]))).toThrow("field 15");
  });

  test("fields of another wire type, lengths beyond the end and endless numbers are refused", () => {
    expect(reads(around([0x08, 1]))).toThrow("metadata: expected wire type 2, got 0");
    expect(reads(around([0x0a, 9, 1]))).toThrow("metadata: expected a length of at most 1 bytes");
    expect(reads(around([0x20, ...Array.from({ length: 11 }, () => 0xff)]))).toThrow("at most ten bytes");
    expect(reads(around([0x0b, 0x0c]))).toThrow("expected wire type 2, got 3");
    expect(reads(around([0x00, 0x00]))).toThrow("expected the tag of a field");
    expect(reads(around([0x0a, 4, 0x3a, 2, 1, 1]))).toThrow("metadata.generation");
  });

  test("CM-4: texts that are no UTF-8 are refused, or repaired when asked for", () => {
    const sent = around([0x12, 6, 0x0a, 1, 0x6b, 0x12, 1, 0xff]);
    expect(reads(sent)).toThrow("data: Expected UTF-8 text");
    expect(decodeProtobuf(sent, configMap, { replaceInvalidUtf8: true })["data"]).toEqual({ k: "\ufffd" });
  });

  test.each(["9007199254740993", "9223372036854775807", "-9223372036854775808", "-9007199254740993"])(
    "an integer of 64 bits keeps its digits: %s",
    (digits) => {
      const generation = new JsonNumber(digits);
      const read = decodeProtobuf(encodeProtobuf({ metadata: { name: "c", generation } }, configMap), configMap);
      expect(read["metadata"]).toEqual({ name: "c", generation });
    },
  );

  test("an encoding or a content type inside the envelope is refused", () => {
    const sealed = (field: number, text: string) =>
      Buffer.concat([body, Buffer.from([field, text.length]), Buffer.from(text)]);
    expect(reads(sealed(0x1a, "gzip"))).toThrow('without content encoding, got "gzip"');
    expect(reads(sealed(0x22, "application/json"))).toThrow("without content type");
    expect(reads(sealed(0x22, ""))()).toHaveProperty("data.k", "v");
    expect(reads(sealed(0x22, "application/vnd.kubernetes.protobuf"))()).toHaveProperty("data.k", "v");
  });

  /** Three megabytes of the same bytes inside messages of these tags. */
  function flood(tags: readonly number[], bytes: readonly number[]): Buffer {
    let message = Buffer.alloc(3 << 20, Uint8Array.from(bytes));
    for (const tag of tags.toReversed()) message = Buffer.concat([Buffer.from([tag]), lengthOf(message), message]);
    return Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x12]), lengthOf(message), message]);
  }
  const lengthOf = (message: Buffer): Buffer => {
    const head = new WireWriter();
    head.unsigned(message.length);
    return head.finish();
  };

  test.each([
    ["map entries", "configmap.v1", [], [0x12, 0x00]],
    ["list elements", "pod.v1", [0x12], [0x12, 0x00]],
    ["packed numbers", "pod.v1", [0x12, 0x72, 0x22], [0x05, 0x05]],
    ["fields", "pod.v1", [], [0x0a, 0x00]],
  ])("more %s than any object may have are 413, and quickly", (_what, name, tags, bytes) => {
    const { kind } = protobufKinds(kubernetes).find((known) => known.name === name)!;
    const sent = flood(tags, bytes);
    const began = cpuMillis();
    expect(outcome(sent, kind)).toHaveProperty("code", "tooLarge");
    expectNotLong(cpuMillis() - began, 500);
  });

  test("keys that are members of every object are keys", () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
    const read = decodeProtobuf(encodeProtobuf({ data }, configMap), configMap);
    expect(Object.entries(read["data"] as object)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  test("a message that comes in two parts is one", () => {
    const read = reads(around([0x0a, 3, 0x0a, 1, 0x61, 0x0a, 3, 0x1a, 1, 0x62]))();
    expect(read).toEqual({ metadata: { name: "a", namespace: "b" } });
  });

  test("numbers may stand packed in one field", () => {
    const pod = protobufKinds(kubernetes).find(({ name }) => name === "pod.v1")!;
    const sent = around([0x12, 6, 0x72, 4, 0x22, 2, 5, 6]);
    expect(decodeProtobuf(sent, pod.kind)["spec"]).toEqual({ securityContext: { supplementalGroups: [5, 6] } });
  });
});

describe("what has a protobuf form", () => {
  test("kinds of Kubernetes' groups have one, kinds of the neutral groups do not", () => {
    expect(hasProtobuf(secret)).toBe(true);
    expect(protobufKinds(neutral).every(({ kind }) => !kind.group.endsWith("svc.io"))).toBe(true);
    expect(hasProtobuf({ ...configMap, group: "example.com" })).toBe(false);
  });
});

describe("responses", () => {
  test("DEC-19: a Status is a Status, whatever the kind", () => {
    const details = {
      name: "c",
      kind: "configmaps",
      causes: [{ reason: "FieldValueRequired", message: "m", field: "f" }],
    };
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 404, details };
    const read = decodeProtobuf(encodeResponse(status, configMap), STATUS);
    expect(read).toEqual({ ...status });
  });

  test("a list has its head in front and its items as the kind writes them", () => {
    const items = [{ metadata: { name: "a" } }, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "b" } }];
    const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items };
    const bytes = encodeResponse(list, configMap);
    const envelope = fields(bytes, 4);
    expect(fields(envelope.get(1)![0]!).get(2)!.toString()).toBe("ConfigMapList");
    const message = fields(envelope.get(2)![0]!);
    expect(fields(message.get(1)![0]!).get(2)!.toString()).toBe("7");
    expect(message.get(2)!.map((item) => fields(fields(item).get(1)![0]!).get(1)!.toString())).toEqual(["a", "b"]);
  });

  test("an empty list of metadata is a list", () => {
    const list = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {}, items: null };
    const envelope = fields(encodeResponse(list, configMap), 4);
    expect(fields(envelope.get(1)![0]!).get(1)!.toString()).toBe("meta.k8s.io/v1");
    expect([...fields(envelope.get(2)![0]!).keys()]).toEqual([1]);
  });

  test("DEC-28: an event is its length, its type and a whole body", () => {
    const object = encodeProtobuf({ metadata: { name: "a" } }, configMap);
    const frame = encodeEvent("ADDED", object);
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    const event = fields(frame, 4);
    expect(event.get(1)!.toString()).toBe("ADDED");
    expect(fields(event.get(2)![0]!).get(1)![0]!.equals(object)).toBe(true);
  });

  test("DEC-26: DeleteOptions carry false and zero", () => {
    const options = { gracePeriodSeconds: 0, orphanDependents: false, preconditions: { uid: "u" } };
    const read = decodeProtobuf(encodeProtobuf(options, DELETE_OPTIONS), DELETE_OPTIONS);
    expect(read).toEqual({ apiVersion: "v1", kind: "DeleteOptions", ...options });
  });
});

test("integers of every size are written as they are read", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(-1, 2 ** 32, 2 ** 31, -(2 ** 32))),
      (value) => {
        const writer = new WireWriter(1);
        writer.integer(value);
        expect(new WireReader(writer.finish()).int64()).toBe(value);
      },
    ),
  );
});
