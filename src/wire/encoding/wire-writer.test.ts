import fc from "fast-check";
import { expect, test } from "vitest";
import { ProtobufError } from "./protobuf-error.ts";
import { WireReader } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

test("integers that a double holds and bytes come back as they were written, in reverse order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.maxSafeInteger(), fc.uint8Array({ maxLength: 300 })), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 100 }),
      (values, field, size) => {
        const writer = new WireWriter(size);
        for (const value of values.toReversed()) {
          if (typeof value === "number") writer.integerField(field, value);
          else writer.bytesField(field, value);
        }
        const reader = new WireReader(writer.finish());
        const read = values.map((value) => {
          if (reader.field() !== field) return "something else";
          return typeof value === "number" ? reader.int64() : Uint8Array.from(reader.bytes());
        });
        expect(read).toEqual(values.map((value) => (typeof value === "number" ? value : Uint8Array.from(value))));
        expect(reader.more).toBe(false);
      },
    ),
  );
});

test("a nested message has what was written since its beginning, and may be left before its end", () => {
  const writer = new WireWriter();
  writer.integerField(9, 1);
  const before = writer.length;
  writer.textField(2, "x");
  writer.integerField(1, 300);
  writer.endMessage(4, before);
  const bytes = writer.finish();
  for (const read of [1, 2]) {
    const reader = new WireReader(bytes);
    expect(reader.field()).toBe(4);
    const inner = reader.message(() => [
      reader.field(),
      reader.int64(),
      ...(read > 1 ? [reader.field(), reader.text()] : []),
    ]);
    expect(inner).toEqual([1, 300, 2, "x"].slice(0, 2 * read));
    expect([reader.field(), reader.int64(), reader.more]).toEqual([9, 1, false]);
  }
});

test("unwanted fields of any type are skipped", () => {
  const message = Buffer.from("0896011a03616263" + "21" + "0102030405060708" + "2d" + "01020304" + "3001", "hex");
  const reader = new WireReader(message);
  const fields: number[] = [];
  while (reader.more) {
    fields.push(reader.field());
    reader.skip();
  }
  expect(fields).toEqual([1, 3, 4, 5, 6]);
});

test("integers of 64 bits without a sign are exact", () => {
  const reader = new WireReader(Buffer.from("08ffffffffffffffffff01", "hex"));
  reader.field();
  expect(reader.uint64()).toBe(2n ** 64n - 1n);
});

test("a message that is cut off is an error, never an endless loop or a short value", () => {
  for (const hex of ["08", "0880", "1a05616263", "21010203", "0b"]) {
    const reader = new WireReader(Buffer.from(hex, "hex"));
    expect(() => {
      while (reader.more) {
        reader.field();
        reader.skip();
      }
    }).toThrow(ProtobufError);
  }
});
