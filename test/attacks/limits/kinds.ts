/**
 * Objects of every kind, each with one list, map or text that is as large as it may be, made from the schemas of the kinds.
 *
 * @module
 */
import { kubernetes } from "../../../src/meta/dialect.ts";
import { builtInDefinitions } from "../../../src/kinds/index.ts";
import { ALL_VERBS, type ResourceDefinition } from "../../../src/schema/definition.ts";
import { contextOf } from "../../../src/schema/testing/kind.ts";
import { PROTOBUF, encodeProtobuf } from "../../../src/wire/protobuf/envelope.ts";
import { protobufKinds, wireForm } from "../../../src/wire/protobuf/testing/kinds.ts";
import type { Schema } from "../../fuzz/sample.ts";
import { BODY_BYTES, JSON_TYPE, STORED_BYTES, TABLE_TYPE, typed } from "./bodies.ts";
import { type LimitRequest, type LimitRow, NAMESPACE, packed } from "./request.ts";

const SCALARS: Readonly<Record<string, (i: number) => unknown>> = {
  "date-time": () => "2026-01-02T03:04:05Z",
  "micro-time": () => "2026-01-02T03:04:05.000006Z",
  byte: () => "AAAA",
  quantity: (i) => `${i}Mi`,
  "int-or-string": (i) => 1 + (i % 60_000),
};

/** A scalar that differs from those of other items. */
function scalar({ type, format, enum: values }: Schema, name: string, i: number): unknown {
  if (values) return values[i % values.length];
  if (format !== undefined && SCALARS[format]) return SCALARS[format](i);
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return 1 + (i % 60_000);
  if (name === "protocol") return "TCP";
  if (name === "uid") return `u${i}`;
  return `${name.toLowerCase().slice(0, 6)}-${i}`;
}

const isScalar = ({ type, format }: Schema): boolean =>
  (type !== "object" && type !== "array" && type !== undefined) || format !== undefined;

/** An item of a list: its scalars, or what it has to have alone. */
function item(schema: Schema, i: number, isFull: boolean, depth = 0): unknown {
  if (isScalar(schema)) return scalar(schema, "x", i);
  if (schema.type === "array") return depth > 3 ? [] : [item(schema.items!, i, isFull, depth + 1)];
  if (!schema.properties)
    return schema.additionalProperties && depth < 4
      ? { [`k${i}`]: item(schema.additionalProperties, i, isFull, depth + 1) }
      : {};
  const { required = [] } = schema;
  const members = Object.entries(schema.properties).flatMap(([name, member]): [string, unknown][] => {
    const isWanted = required.includes(name) || name === "name" || name === "key" || name === "ip" || name === "path";
    if (isScalar(member)) return isFull || isWanted ? [[name, scalar(member, name, i)]] : [];
    return required.includes(name) && depth < 4 ? [[name, item(member, i, isFull, depth + 1)]] : [];
  });
  return Object.fromEntries(members);
}

/** A place in a schema that can become large, and how an object with something there is written. */
interface Place {
  readonly path: string;
  readonly schema: Schema;
  /** Puts the text of the place into an object. */
  readonly around: (text: string) => string;
}

const MOST_DEPTH = 9;

/** Members that a struct has to have beside the one that is large. */
function others({ properties = {}, required = [] }: Schema, but: string): string {
  const some = required.filter((name) => name !== but && properties[name]);
  return some.map((name) => `,${JSON.stringify(name)}:${JSON.stringify(item(properties[name]!, 1, false))}`).join("");
}

function* places(schema: Schema, path: string, around: Place["around"], depth = 0): Generator<Place> {
  if (depth > MOST_DEPTH) return;
  if (
    schema.type === "array" ||
    (schema.type === "object" && schema.additionalProperties) ||
    (schema.type === "string" && depth > 0)
  )
    yield { path, schema, around };
  if (schema.items) yield* places(schema.items, `${path}[]`, (text) => around(`[${text}]`), depth + 1);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (depth === 0 && (name === "apiVersion" || name === "kind" || name === "metadata")) continue;
    yield* places(
      member,
      `${path}.${name}`,
      (text) => around(`{${JSON.stringify(name)}:${text}${others(schema, name)}}`),
      depth + 1,
    );
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? "null";

/** A list or map with as many items as have room, or a text of all of it. */
function large({ schema }: Place, room: number, isFull: boolean): string {
  if (schema.type === "string") return `"${"a".repeat(room)}"`;
  if (schema.type === "array") return `[${packed(room, (i) => textOf(item(schema.items!, i, isFull)))}]`;
  return `{${packed(room, (i) => `"k${i}":${textOf(item(schema.additionalProperties!, i, isFull))}`)}}`;
}

const DEFINITIONS = builtInDefinitions(contextOf(kubernetes));
const PROTOBUF_KINDS = protobufKinds(kubernetes);

const collectionOf = ({ group, version, plural, scope }: ResourceDefinition): string =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}${scope === "Namespaced" ? `/namespaces/${NAMESPACE}` : ""}/${plural}`;

/** Every place of every kind that can become large, in a create as JSON and as protobuf; what is made is deleted again. */
export function kindRows(who: LimitRequest["who"] = "admin", texts = ""): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const definition of DEFINITIONS) {
    const { group, version, kind, schema, verbs = ALL_VERBS } = definition;
    if (!verbs.includes("create")) continue;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const path = `${collectionOf(definition)}?fieldManager=m`;
    for (const place of places(schema as Schema, kind, (text) => text)) {
      if ((place.schema.type === "string") !== (texts === "texts")) continue;
      const objectOf = (room: number, isFull: boolean): string => {
        const inside = place.around(large(place, room, isFull));
        return `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"generateName":"a-","labels":{"of":"limits"}},${inside.slice(1)}`;
      };
      const sizes = [[STORED_BYTES, true], [STORED_BYTES, false], [BODY_BYTES - 2000, true]] as const; // prettier-ignore
      rows.push({
        name: `${who}: ${apiVersion} ${place.path}`,
        requests: () => {
          const bodies = sizes
            .map(([room, isFull]) => objectOf(room, isFull))
            .filter((text) => text.length <= BODY_BYTES);
          const requests: LimitRequest[] = bodies.map((body) => ({
            who,
            method: "POST",
            path,
            headers: typed(JSON_TYPE),
            body,
          }));
          const written = asProtobuf(apiVersion, kind, bodies[0]!);
          if (written) requests.push({ who, method: "POST", path, headers: typed(PROTOBUF), body: written });
          requests.push({ who, method: "GET", path, headers: [["accept", TABLE_TYPE]] });
          requests.push({ who, method: "DELETE", path: `${collectionOf(definition)}?labelSelector=of%3Dlimits` });
          return requests;
        },
      });
    }
  }
  return rows;
}

function asProtobuf(apiVersion: string, kind: string, text: string): Buffer | undefined {
  const found = PROTOBUF_KINDS.find(
    ({ kind: one }) =>
      one.kind === kind && apiVersion === (one.group === "" ? one.version : `${one.group}/${one.version}`),
  );
  if (!found) return undefined;
  try {
    return encodeProtobuf(wireForm(found, JSON.parse(text) as never), found.kind);
  } catch {
    return undefined;
  }
}
