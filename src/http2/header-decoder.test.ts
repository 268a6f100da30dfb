import fc from "fast-check";
import { expect, test } from "vitest";
import { ERROR } from "./constants.ts";
import { ConnectionError } from "./errors.ts";
import { HeaderDecoder, type HeaderList } from "./header-decoder.ts";
import { encodeHeaders } from "./header-encoder.ts";
import { headerBlock, indexed, literal } from "./testing/frames.ts";

const LIMITS = { listBytes: 10_000, listFields: 100 };
const decoder = (limits = LIMITS): HeaderDecoder => new HeaderDecoder(limits);
const decode = (block: Buffer, with_ = decoder()): HeaderList => with_.decode(block, 0, block.length);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

const FIRST = [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"];

test.each([
  [
    "C.3, plain",
    [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
  ],
  [
    "C.4, with the Huffman code",
    [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
  ],
])("RFC 7541 %s: requests one after the other", (_what, blocks) => {
  const one = decoder();
  expect(blocks.map((block) => decode(hex(block), one).fields)).toEqual([
    FIRST,
    [...FIRST, "cache-control", "no-cache"],
    [":method", "GET", ":scheme", "https", ":path", "/index.html", ":authority", "www.example.com"].concat(
      "custom-key",
      "custom-value",
    ),
  ]);
});

test("RFC 7541 4.4: an entry makes older ones give way, and one that is larger than the table empties it", () => {
  const one = decoder();
  decode(literal("a", "1".repeat(2000), true), one);
  decode(literal("b", "2".repeat(2000), true), one);
  expect(decode(Buffer.concat([indexed(62), indexed(63)]), one).fields.map((text) => text[0])).toEqual([
    "b",
    "2",
    "a",
    "1",
  ]);
  decode(literal("c", "3".repeat(100), true), one);
  expect(decode(indexed(63), one).fields[0]).toBe("b");
  expect(() => decode(indexed(64), one)).toThrow(ConnectionError);
  const other = decoder();
  decode(literal("a", "1", true), other);
  decode(literal("large", "x".repeat(5000), true), other);
  expect(() => decode(indexed(62), other)).toThrow(ConnectionError);
});

test("RFC 7541 4.2: the table follows its size updates, which stand first", () => {
  const one = decoder();
  decode(literal("a", "1", true), one);
  // To 0 and back: the earlier entries are removed.
  expect(decode(Buffer.concat([hex("20 3f e1 1f"), indexed(2)]), one).fields).toEqual([":method", "GET"]);
  expect(() => decode(indexed(62), one)).toThrow(ConnectionError);
  expect(() => decode(Buffer.concat([indexed(2), hex("20")]))).toThrow("before all fields");
  expect(() => decode(hex("3f e2 1f"))).toThrow("4096");
});

test.each([
  ["an index of 0", "80"],
  ["an index that nothing has", "be"],
  ["an integer without its end", "ff"],
  ["an integer of more than five bytes", "ff 80 80 80 80 80 01"],
  ["an integer beyond 32 bits", "ff ff ff ff ff ff"],
  ["a text that is longer than its block", "00 05 61"],
  ["a name without a value", "00 01 61"],
  ["a text that is not in the Huffman code", "00 81 ff 00"],
])("RFC 7541: %s is malformed", (_what, block) => {
  const failing = (): unknown => decode(hex(block));
  expect(failing).toThrow(ConnectionError);
  expect(failing).toThrow(expect.objectContaining({ code: ERROR.compression }));
});

test("what is over the limits is not kept, and the table follows all the same", () => {
  const one = decoder({ listBytes: 200, listFields: 100 });
  const list = decode(Buffer.concat([literal("a", "x".repeat(190), true), literal("b", "2", true)]), one);
  expect(list).toMatchObject({ fields: [], isTooLarge: true });
  expect(decode(indexed(62), one)).toMatchObject({ fields: ["b", "2"], isTooLarge: false });
  const few = decoder({ listBytes: 10_000, listFields: 2 });
  const three = [...Array(3).keys()].map((i) => ["a", String(i)] as const);
  expect(decode(headerBlock(three), few).isTooLarge).toBe(true);
  expect(decode(headerBlock(three.slice(1)), few).isTooLarge).toBe(false);
});

test("a text that exceeds the list ends the connection, also in the Huffman code", () => {
  expect(() => decode(literal("a", "x".repeat(10_001)))).toThrow("10000 bytes at most");
});

test.each([
  ["a control", "a", "x\u0001y", "value"],
  ["NUL", "a", "x\0", "value"],
  ["a line break", "a", "x\r\ny", "value"],
  ["DEL", "a", "x\x7fy", "value"],
  ["a blank in front", "a", " x", "value"],
  ["a tab at the end", "a", "x\t", "value"],
  ["a blank in its name", "a b", "x", "name"],
  ["a capital in its name", "Impersonate-User", "x", "name"],
  ["a colon in its name", "a:b", "x", "name"],
  ["no name", "", "x", "name"],
])("RFC 9113 8.2.1: a field with %s is reported, also when it is indexed", (_what, name, value, part) => {
  const one = decoder();
  expect(decode(Buffer.concat([literal("ok", "1"), literal(name, value)])).invalid).toEqual({ field: name, part });
  decode(literal(name, value, true), one);
  expect(decode(indexed(62), one).invalid).toEqual({ field: name, part });
  expect(decode(indexed(2), one).invalid).toBeUndefined();
});

test("bytes beyond ASCII and blanks within are taken as they are", () => {
  const value = "j\u00fcr gen\t\u00ff";
  expect(decode(literal("a", value))).toMatchObject({ fields: ["a", value], invalid: undefined });
});

const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/);
const values = fc.stringMatching(/^[!-~\u00A0-\u00FF]([ -~\u00A0-\u00FF]{0,300}[!-~\u00A0-\u00FF])?$/);

test("what the encoder writes the decoder reads", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 599 }),
      fc.dictionary(names, values, { maxKeys: 20 }),
      (status, headers) => {
        const block = Buffer.from(encodeHeaders(status, headers), "latin1");
        const { fields } = decode(block, decoder({ listBytes: 1 << 20, listFields: 100 }));
        expect(fields).toEqual([":status", String(status), ...Object.entries(headers).flat()]);
      },
    ),
  );
});

test("any bytes are read or refused, nothing else", () => {
  const one = decoder();
  const read = (bytes: Uint8Array): number => {
    try {
      return decode(Buffer.from(bytes), one).fields.length;
    } catch (error) {
      if (error instanceof ConnectionError) return 0;
      throw error;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => read(bytes) % 2 === 0));
});
