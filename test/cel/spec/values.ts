/**
 * Values and types of the specification's tests, as ours.
 *
 * @module
 */
import { durationIn, timestampIn } from "../../../src/cel/times.ts";
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
  listOf,
  mapOf,
  opaque,
  typeType,
} from "../../../src/cel/types.ts";
import { Entries, TypeValue, Uint, type Value, Values } from "../../../src/cel/values.ts";
import type { Json } from "./data.ts";

const NAMED: Readonly<Record<string, Type>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
  ANY,
  TIMESTAMP,
  DURATION,
  "google.protobuf.Timestamp": TIMESTAMP,
  "google.protobuf.Duration": DURATION,
};

/** A declared type; undefined for those that Kubernetes lacks: messages of protobuf and wrappers. */
export function typeOf(json: Json): Type | undefined {
  const [kind, of] = Object.entries(json)[0] ?? ["dyn"];
  switch (kind) {
    case "dyn":
      return DYN;
    case "null":
      return NULL;
    case "primitive":
    case "wellKnown":
    case "messageType":
      return NAMED[of as string];
    case "type":
      return through([of as Json], ([one]) => typeType(one!));
    case "listType":
      return through([(of as Json)["elemType"] as Json], ([item]) => listOf(item!));
    case "mapType":
      return through([(of as Json)["keyType"] as Json, (of as Json)["valueType"] as Json], ([key, value]) =>
        mapOf(key!, value!),
      );
    case "abstractType":
      return through(((of as Json)["parameterTypes"] as Json[] | undefined) ?? [], (of_) =>
        opaque((of as Json)["name"] as string, ...of_),
      );
    default:
      return undefined;
  }
}

function through(parts: readonly Json[], make: (types: readonly Type[]) => Type): Type | undefined {
  const types = parts.map(typeOf);
  return types.some((type) => type === undefined) ? undefined : make(types as Type[]);
}

/** A value; undefined for those that Kubernetes lacks: messages of protobuf and enumerations. */
export function valueOf(json: Json): Value | undefined {
  const [kind, of] = Object.entries(json)[0] ?? ["nullValue"];
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
      return of as Value;
    case "int64Value":
      return BigInt(of as string);
    case "uint64Value":
      return new Uint(BigInt(of as string));
    case "doubleValue":
      return Number(of);
    case "bytesValue":
      return new Uint8Array(Buffer.from(of as string, "base64"));
    case "typeValue":
      return new TypeValue(of as string);
    case "listValue":
      return listIn(((of as Json)["values"] as Json[] | undefined) ?? []);
    case "mapValue":
      return mapIn(((of as Json)["entries"] as Entry[] | undefined) ?? []);
    case "objectValue":
      return momentIn(of as Json);
    default:
      return undefined;
  }
}

interface Entry {
  readonly key: Json;
  readonly value: Json;
}

function listIn(items: readonly Json[]): Value | undefined {
  const values = items.map(valueOf);
  return values.includes(undefined) ? undefined : new Values(values as Value[]);
}

function mapIn(entries: readonly Entry[]): Value | undefined {
  const pairs = entries.map(({ key, value }) => [valueOf(key), valueOf(value)] as const);
  return pairs.flat().includes(undefined) ? undefined : new Entries(pairs as [Value, Value][]);
}

function momentIn(json: Json): Value | undefined {
  const name = String(json["@type"]).split("/").at(-1);
  if (name === "google.protobuf.Timestamp") return timestampIn(json["value"] as string);
  return name === "google.protobuf.Duration" ? durationIn(json["value"] as string) : undefined;
}
