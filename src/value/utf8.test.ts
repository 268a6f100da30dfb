import fc from "fast-check";
import { expect, test } from "vitest";
import { DecodeError } from "./decode-error.ts";
import { containsInvalidUtf8, decodeUtf8 } from "./utf8.ts";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test("CM-4: invalid UTF-8 is refused with its offset", () => {
  expect(() => decodeUtf8(bytes(0x61, 0xff))).toThrow(
    new DecodeError("invalidUtf8", "Expected UTF-8 text, found an invalid byte at offset 1"),
  );
});

test.each<[string, Uint8Array, string]>([
  ["a byte that begins nothing", bytes(0x61, 0xff, 0x62), "a\ufffdb"],
  ["each byte of a truncated character", bytes(0xe2, 0x82, 0x61), "\ufffd\ufffda"],
  ["each byte of a surrogate", bytes(0xed, 0xa0, 0x80), "\ufffd\ufffd\ufffd"],
  ["each byte of an overlong slash", bytes(0xc0, 0xaf), "\ufffd\ufffd"],
  ["each byte beyond U+10FFFF", bytes(0xf4, 0x90, 0x80, 0x80), "\ufffd\ufffd\ufffd\ufffd"],
  ["a truncated character at the end", bytes(0x61, 0xf0, 0x9f), "a\ufffd\ufffd"],
])("CM-4: in the kubernetes dialect %s becomes U+FFFD", (_, input, text) => {
  expect(containsInvalidUtf8(input)).toBe(true);
  expect(decodeUtf8(input, true)).toBe(text);
});

test("repair does not change valid text, a byte order mark included", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const input = new TextEncoder().encode(`\ufeff${text}`);
      expect(decodeUtf8(input)).toBe(`\ufeff${text}`);
      expect(decodeUtf8(input, true)).toBe(`\ufeff${text}`);
    }),
  );
});

test("repair and the platform agree on valid text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (input) => {
      expect(decodeUtf8(input, true).includes("\ufffd")).toBe(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(input).includes("\ufffd"),
      );
    }),
    { numRuns: 2000 },
  );
});
