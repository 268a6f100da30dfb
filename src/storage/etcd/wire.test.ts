import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageReader, MessageWriter } from "./wire.ts";

test("numbers up to 2^53 and bytes come back as they were written, in reverse order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.maxSafeNat(), fc.uint8Array({ maxLength: 300 })), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5000 }),
      (values, field) => {
        const writer = new MessageWriter(7000);
        for (const value of values.toReversed()) {
          if (typeof value === "number") writer.number(field, value);
          else writer.bytes(field, value);
        }
        const frame = writer.frame();
        expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
        const reader = new MessageReader(frame.subarray(5));
        const read = values.map((value) => {
          if (!reader.next() || reader.field !== field) return "something else";
          return typeof value === "number" ? reader.number() : Uint8Array.from(reader.bytes());
        });
        expect(read).toEqual(values.map((value) => (typeof value === "number" ? value : Uint8Array.from(value))));
        expect(reader.next()).toBe(false);
      },
    ),
  );
});

test("a nested message has what was written since its beginning", () => {
  const writer = new MessageWriter(100);
  writer.number(9, 1);
  const before = writer.length;
  writer.bytes(2, Buffer.from("x"));
  writer.number(1, 300);
  writer.endMessage(4, before);
  const reader = new MessageReader(writer.frame().subarray(5));
  reader.next();
  expect(reader.field).toBe(4);
  const inner = reader.message();
  inner.next();
  expect([inner.field, inner.number()]).toEqual([1, 300]);
  inner.next();
  expect([inner.field, inner.text()]).toEqual([2, "x"]);
  reader.next();
  expect([reader.field, reader.number(), reader.next()]).toEqual([9, 1, false]);
});

test("fields that nobody wants are passed over, whatever their type", () => {
  const message = Buffer.from("0896011a03616263" + "21" + "0102030405060708" + "2d" + "01020304" + "3001", "hex");
  const reader = new MessageReader(message);
  const fields: number[] = [];
  while (reader.next()) {
    fields.push(reader.field);
    reader.skip();
  }
  expect(fields).toEqual([1, 3, 4, 5, 6]);
});

test("varints of 64 bits are exact as bigint", () => {
  const reader = new MessageReader(Buffer.from("08ffffffffffffffffff01", "hex"));
  reader.next();
  expect(reader.big()).toBe(2n ** 64n - 1n);
});

test("a message that is cut off is an error, never an endless loop or a short value", () => {
  for (const hex of ["08", "0880", "1a05616263", "21010203", "0b"]) {
    const reader = new MessageReader(Buffer.from(hex, "hex"));
    expect(() => {
      while (reader.next()) reader.skip();
    }).toThrow(RangeError);
  }
});
