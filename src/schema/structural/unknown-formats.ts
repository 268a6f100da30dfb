/**
 * Warnings about unsupported formats of texts, which are ignored.
 *
 * @module
 */
import { goQuoted } from "../../util/go-quote.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { formatOf } from "./formats.ts";

/** Members of a schema that are schemas, lists of them, and maps of them. */
const SCHEMAS = ["items", "additionalProperties", "not"] as const;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const MAPS = ["properties", "patternProperties", "definitions"] as const;

/** The number of schemas in a step. */
const SCHEMAS_IN_A_STEP = 1000;

/** The unsupported formats of texts in schemas, in no order; undefined where a step ends. */
function* unknownIn(schemas: Iterable<Value | undefined>): Generator<string | undefined> {
  const left: ValueObject[] = [];
  const add = (value: Value | undefined): void => {
    if (value !== undefined && isObject(value)) left.push(value);
  };
  for (const schema of schemas) add(schema);
  for (let count = 1; left.length > 0; count++) {
    const schema = left.pop()!;
    const { type, format } = schema;
    if (type === "string" && typeof format === "string" && format !== "" && !formatOf(format)) yield format;
    for (const name of SCHEMAS) add(schema[name]);
    for (const name of LISTS) {
      const list = schema[name];
      if (Array.isArray(list)) list.forEach(add);
    }
    for (const name of MAPS) {
      const map = schema[name];
      if (map !== undefined && isObject(map)) Object.values(map).forEach(add);
    }
    if (count % SCHEMAS_IN_A_STEP === 0) yield undefined;
  }
}

/** A warning about each new unsupported format, with the message of kube-apiserver. */
export function* unknownFormatWarnings(
  schemas: Iterable<Value | undefined>,
  before: Iterable<Value | undefined>,
): Generator<string | undefined> {
  let known: Set<string> | undefined;
  for (const format of unknownIn(schemas)) {
    if (format !== undefined && !known) {
      known = new Set();
      for (const one of unknownIn(before)) {
        if (one === undefined) yield undefined;
        else known.add(one);
      }
    }
    if (format === undefined) yield undefined;
    else if (!known!.has(format)) yield `unrecognized format ${goQuoted(format)}`;
  }
}
