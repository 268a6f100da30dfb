import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../util/steps.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { jsonInForm, valueInForm } from "./in-form.ts";
import { indentJson } from "./indent-json.ts";
import { listForm } from "./list-form.ts";
import { partialBytes } from "./metadata-bytes.ts";
import type { Format } from "./negotiate.ts";
import { systemClock } from "../../util/clock.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";

const server = { clock: systemClock, conversions: new KeyedLock() };

const format = (over: Partial<Format> = {}): Format => ({
  media: "json",
  shape: "",
  version: "",
  pretty: false,
  ...over,
});
const text = (pieces: Iterable<Uint8Array>): string => Buffer.concat([...pieces]).toString();
const written = (value: unknown, form: Format): string => text(atOnce(valueInForm(value, form)));

describe("forms of responses", () => {
  test("a value in JSON may stand in a page, and is the same value", () => {
    const value = { message: "must be <= 5 & > 0\u2028" };
    const json = written(value, format());
    expect(json).toBe(`{"message":"must be \\u003c= 5 \\u0026 \\u003e 0\\u2028"}\n`);
    expect(JSON.parse(json)).toEqual(value);
    expect(written(value, format({ media: "yaml" }))).toContain("<= 5 & > 0");
  });

  test("indentation is that of JSON.stringify, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(Buffer.from(JSON.stringify(value))).toString()).toBe(JSON.stringify(value, null, 2));
        expect(indentJson(Buffer.from(JSON.stringify(value, null, 3))).toString()).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  test("indentation keeps numbers as they are written", () => {
    expect(indentJson(Buffer.from('{"n":9007199254740993}')).toString()).toBe('{\n  "n": 9007199254740993\n}');
  });

  test("compact JSON ends its line, small or large", async () => {
    for (const size of [10, 100_000]) {
      const bytes = Buffer.from(JSON.stringify("x".repeat(size)));
      expect(text(await jsonInForm(server, bytes, format()))).toBe(`${bytes.toString()}\n`);
    }
    expect(written({ a: 1 }, format())).toBe('{"a":1}\n');
  });

  test("of large responses that are not JSON each is made in a turn of its own, one after the other", async () => {
    const bytes = Buffer.from(JSON.stringify({ a: "x".repeat(200_000) }));
    let passes = 0;
    const count = (): void => {
      passes++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const made = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await jsonInForm(server, bytes, format({ media: "yaml" }));
        return passes;
      }),
    );
    clearImmediate(counting);
    expect(made).toEqual(made.toSorted((a, b) => a - b));
    expect(new Set(made).size).toBe(5);
  });

  test("lists in every form say the same", () => {
    const object = fc.record({
      metadata: fc.record({ name: fc.string() }),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 3 }), (objects) => {
        // What a round trip through JSON does not keep (-0) no form keeps.
        const items = JSON.parse(JSON.stringify(objects)) as typeof objects;
        const header = { kind: "L", metadata: { resourceVersion: "1" } };
        for (const wanted of [format(), format({ pretty: true }), format({ media: "yaml" })]) {
          const form = listForm(JSON.stringify(header), "items", wanted);
          const parts: Uint8Array[] = [form.head];
          items.forEach((item, i) => {
            if (i > 0) parts.push(form.separator);
            const part = form.item(Buffer.from(JSON.stringify(item)), i === 0);
            parts.push(...(part instanceof Uint8Array ? [part] : part));
          });
          parts.push(form.tail(items.length === 0));
          const whole = Buffer.concat(parts);
          const read = wanted.media === "yaml" ? decodeYaml(whole).value : JSON.parse(whole.toString());
          expect(JSON.parse(JSON.stringify(read))).toEqual({ ...header, items });
          const indented = JSON.stringify({ ...header, items }, null, 2);
          expect(wanted.pretty ? whole.toString() : indented).toBe(indented);
        }
      }),
    );
  });

  test("the metadata of an object is cut out of its bytes, whatever its texts", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (annotations) => {
        const metadata = { resourceVersion: "1", name: 'a"}{', annotations };
        const bytes = Buffer.from(JSON.stringify({ kind: "K", apiVersion: "v1", metadata, spec: { metadata: {} } }));
        const expected = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
        expect(partialBytes(bytes, "v1").toString()).toBe(JSON.stringify(expected));
      }),
    );
  });
});

test("a text of megabytes is made safe in steps, and pairs stay whole where it is cut", () => {
  const value = { message: "😀&x".repeat(200_000), odd: `x${"😀".repeat(200_000)}` };
  const steps = valueInForm(value, format());
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThan(8);
  expect(text(step.value)).toBe(`${JSON.stringify(value).replaceAll("&", "\\u0026")}\n`);
});
