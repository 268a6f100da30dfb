import fc from "fast-check";
import { expect, test } from "vitest";
import { WireWriter } from "../wire/encoding/wire-writer.ts";
import { Messages, frameOf } from "./messages.ts";

const framed = (bytes: Uint8Array): Buffer => {
  const writer = new WireWriter(16);
  writer.raw(bytes);
  return frameOf(writer);
};

test("messages come out as they went in, wherever the pieces are cut, and outlive them where they say so", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (messages, cuts) => {
        const all = Buffer.concat(messages.map(framed));
        const taken: Uint8Array[] = [];
        const reader = new Messages((message, isKept) => taken.push(isKept ? message : Uint8Array.from(message)));
        const piece = Buffer.alloc(40);
        for (let at = 0, i = 0; at < all.length; i++) {
          // One buffer for all pieces, as a socket has it.
          const size = all.copy(piece, 3, at, at + cuts[i % cuts.length]!);
          reader.push(piece, 3, 3 + size);
          at += size;
        }
        expect(taken.map((message) => Uint8Array.from(message))).toEqual(messages);
      },
    ),
  );
});

test("a message that is compressed is an error", () => {
  const reader = new Messages(() => {});
  expect(() => reader.push(Buffer.of(1, 0, 0, 0, 0), 0, 5)).toThrow(RangeError);
});
