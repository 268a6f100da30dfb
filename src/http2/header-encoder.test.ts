import { expect, test } from "vitest";
import { encodeHeaders } from "./header-encoder.ts";

const hex = (block: string): string => Buffer.from(block, "latin1").toString("hex");

test("a status that the static table has is its index, any other a text", () => {
  expect(hex(encodeHeaders(200, {}))).toBe("88");
  expect(hex(encodeHeaders(201, {}))).toBe("0803323031");
});

test("a name that the static table has is its index, also beyond four bits", () => {
  expect(hex(encodeHeaders(404, { "content-type": "a" }))).toBe("8d0f100161");
  expect(hex(encodeHeaders(404, { "audit-id": "a" }))).toBe(`8d0008${Buffer.from("audit-id").toString("hex")}0161`);
});

test("a list is a field for each of its values, a number a text", () => {
  expect(hex(encodeHeaders(200, { a: ["1", "2"], b: 3 }))).toBe("88000161013100016101320001620133");
});

test("long values have long lengths", () => {
  expect(hex(encodeHeaders(200, { a: "x".repeat(300) })).slice(2, 14)).toBe("0001617fad01");
});

test.each(["a\r\nb", "a\0", "\u0100"])("a value that no header may have is refused: %j", (value) => {
  expect(() => encodeHeaders(200, { a: value })).toThrow("expected header a");
});
