/**
 * An OpenAPI v2 document as protobuf: the message `openapi.v2.Document` of google/gnostic-models, which is the only form
 * of it that kubectl reads. Field numbers are those of `openapiv2/OpenAPIv2.proto`.
 *
 * Each message is a table from the member of the JSON form to what writes it. Values of any form (defaults, enums, marks
 * `x-...`) travel as YAML text; ours is JSON, which is YAML. Members that the server never makes are not in the tables.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { BYTES, FIXED64 } from "../../wire/encoding/wire-reader.ts";
import { WireWriter } from "../../wire/encoding/wire-writer.ts";
import type { Json } from "./openapi-schemas.ts";

/** Where fields are written: a writer, or a recorder that keeps them until names are known. */
export type FieldSink = Pick<WireWriter, "length" | "textField" | "integerField" | "raw" | "tag" | "endMessage">;

/** Puts a field in front of what has been written. */
type Put = (out: FieldSink, value: unknown) => void;

interface Field {
  readonly number: number;
  readonly put: Put;
}

/** A message: its fields by member name, and the field that takes the marks. */
interface Message {
  readonly fields: Readonly<Record<string, Field>>;
  readonly extension?: Field;
}

const field = (number: number, put: Put): Field => ({ number, put });

/** A value with its length and tag, whatever writes it. */
const framed =
  (number: number, write: Put): Put =>
  (out, value) => {
    const before = out.length;
    write(out, value);
    out.endMessage(number, before);
  };

const putText =
  (number: number): Put =>
  (out, value) =>
    out.textField(number, String(value));

const text = (number: number): Field => field(number, putText(number));

const flag = (number: number): Field =>
  field(number, (out, value) => {
    if (value === true) out.integerField(number, 1);
  });

const integer = (number: number): Field => field(number, (out, value) => out.integerField(number, Number(value)));

const double = (number: number): Field =>
  field(number, (out, value) => {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(Number(value));
    out.raw(bytes);
    out.tag(number, FIXED64);
  });

/** `Any`: a value as text of YAML. */
const writeAny: Put = (out, value) => putText(2)(out, `${JSON.stringify(value)}\n`);
const any = (number: number): Field => field(number, framed(number, writeAny));

const list = (number: number, put: Put): Field =>
  field(number, (out, value) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (let i = items.length - 1; i >= 0; i--) put(out, items[i]);
  });

/** A message of its own, which may refer to itself: its table is read when it is needed. */
const writeMessage =
  (message: () => Message): Put =>
  (out, value) =>
    writeFields(out, message(), value as Json);

/** A message in a field. */
const nested = (number: number, message: () => Message): Put => framed(number, writeMessage(message));
const one = (number: number, message: () => Message): Field => field(number, nested(number, message));

/** A pair of a name and a value: a message with the name at 1 and the value at 2. */
const pair = (number: number, write: Put): Put => {
  const putValue = framed(2, write);
  return framed(number, (out, value) => {
    const [name, content] = value as [string, unknown];
    putValue(out, content);
    putText(1)(out, name);
  });
};

/** The pairs of an object. */
const pairs = (number: number, write: Put): Put => {
  const putPair = pair(number, write);
  return (out, value) => {
    const entries = Object.entries(value as Json);
    for (let i = entries.length - 1; i >= 0; i--) putPair(out, entries[i]);
  };
};

/** An object whose names are free: a message with the pairs in one field. */
const dictionary = (number: number, write: Put): Field => field(number, framed(number, pairs(1, write)));

const marks = (number: number): Field => field(number, pairs(number, writeAny));

const ordered = new WeakMap<Message, readonly (readonly [string, Field])[]>();

/** The fields of a message, the highest number first: that is the order of writing. */
function fieldsOf(message: Message): readonly (readonly [string, Field])[] {
  let fields = ordered.get(message);
  if (!fields) {
    fields = Object.entries(message.fields).toSorted(([, a], [, b]) => b.number - a.number);
    ordered.set(message, fields);
  }
  return fields;
}

function writeFields(out: FieldSink, message: Message, value: Json): void {
  const marked = Object.entries(value).filter(([key]) => key.startsWith("x-"));
  // Marks have the highest number of their message everywhere but in Paths, which has none.
  if (marked.length > 0) message.extension?.put(out, Object.fromEntries(marked));
  for (const [name, { put }] of fieldsOf(message)) {
    const content = Object.hasOwn(value, name) ? value[name] : undefined;
    if (content !== undefined) put(out, content);
  }
}

const TYPES: Put = list(1, putText(1)).put;

/** Either `true` or `false`, or a schema of members without a name. */
const ADDITIONAL: Put = (out, value) => {
  if (typeof value === "boolean") out.integerField(2, value ? 1 : 0);
  else framed(1, writeSchema)(out, value);
};

const writeSchema: Put = writeMessage(() => SCHEMA);

const SCHEMA: Message = {
  fields: {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: any(5),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: flag(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: list(19, putText(19)),
    enum: list(20, framed(20, writeAny)),
    additionalProperties: field(21, framed(21, ADDITIONAL)),
    type: field(22, framed(22, TYPES)),
    items: field(23, framed(23, framed(1, writeSchema))),
    allOf: list(24, framed(24, writeSchema)),
    properties: dictionary(25, writeSchema),
    readOnly: flag(27),
  },
  extension: marks(31),
};

const BODY: Message = {
  fields: { description: text(1), name: text(2), in: text(3), required: flag(4), schema: one(5, () => SCHEMA) },
  extension: marks(6),
};

const QUERY: Message = {
  fields: { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(6), uniqueItems: flag(20) },
  extension: marks(23),
};

const PATH: Message = {
  fields: { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(5), uniqueItems: flag(19) },
  extension: marks(22),
};

/** ParametersItem.parameter, then a body or a parameter of the URL. */
const PARAMETER: Put = framed(1, (out, value) => {
  const spot = (value as Json)["in"];
  if (spot === "body") {
    nested(1, () => BODY)(out, value);
    return;
  }
  const [number, message] = spot === "query" ? [3, QUERY] : [4, PATH];
  framed(
    2,
    nested(number, () => message),
  )(out, value);
});

const RESPONSE: Message = {
  fields: { description: text(1), schema: field(2, framed(2, framed(1, writeSchema))) },
  extension: marks(5),
};

const SECURITY: Field = list(12, framed(12, pairs(1, TYPES)));

const OPERATION: Message = {
  fields: {
    tags: list(1, putText(1)),
    description: text(3),
    operationId: text(5),
    produces: list(6, putText(6)),
    consumes: list(7, putText(7)),
    parameters: list(8, framed(8, PARAMETER)),
    responses: dictionary(
      9,
      nested(1, () => RESPONSE),
    ),
    schemes: list(10, putText(10)),
    deprecated: flag(11),
    security: SECURITY,
  },
  extension: marks(13),
};

const ITEM: Message = {
  fields: {
    get: one(2, () => OPERATION),
    put: one(3, () => OPERATION),
    post: one(4, () => OPERATION),
    delete: one(5, () => OPERATION),
    patch: one(8, () => OPERATION),
    parameters: list(9, framed(9, PARAMETER)),
  },
  extension: marks(10),
};

const writeItem: Put = writeMessage(() => ITEM);

const INFO: Message = { fields: { title: text(1), version: text(2) } };

const API_KEY: Message = { fields: { type: text(1), name: text(2), in: text(3), description: text(4) } };

const DOCUMENT: Message = {
  fields: {
    swagger: text(1),
    info: one(2, () => INFO),
    security: SECURITY,
    securityDefinitions: dictionary(
      13,
      nested(2, () => API_KEY),
    ),
  },
};

const encoded = (write: (out: WireWriter) => void): Buffer => {
  const out = new WireWriter();
  write(out);
  // Bytes of its own: the unused rest of the writer's buffer is not kept.
  return Buffer.from(out.finish());
};

const putPathPair = pair(2, writeItem);
const putDefinition = pair(1, writeSchema);

/** Writes a path from the members that exist, as one of those between {@link gnosticAround}. */
export const putPath = (out: FieldSink, path: readonly [path: string, item: Json]): void => putPathPair(out, path);

/** A path from the members that exist, as one of those between {@link gnosticAround}. */
export const gnosticPath = (path: string, item: Json): Buffer => encoded((out) => putPathPair(out, [path, item]));

/** A definition, in the same way. */
export const gnosticDefinition = (name: string, schema: Json): Buffer =>
  encoded((out) => putDefinition(out, [name, schema]));

/**
 * What stands before, between and behind the paths and the definitions of the message `openapi.v2.Document`.
 *
 * @param around the members of the document beside paths and definitions
 * @param paths how many bytes all paths have together
 * @param definitions how many bytes all definitions have together
 */
export function gnosticAround(
  around: Json,
  paths: number,
  definitions: number,
): readonly [before: Buffer, between: Buffer, behind: Buffer] {
  const { swagger, info, ...rest } = around;
  const begin = encoded((out) => writeFields(out, DOCUMENT, { swagger, info }));
  return [
    Buffer.concat([begin, beginning(8, paths)]),
    beginning(9, definitions),
    encoded((out) => writeFields(out, DOCUMENT, rest)),
  ];
}

/** The first bytes of a message of this length. */
const beginning = (number: number, length: number): Buffer =>
  encoded((out) => {
    out.unsigned(length);
    out.tag(number, BYTES);
  });
