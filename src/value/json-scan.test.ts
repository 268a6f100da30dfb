import { expect, test } from "vitest";
import { scanJson } from "./json-scan.ts";

const scan = (value: object | string): string =>
  scanJson(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), 100);

test("each text is scanned by itself: keys of another one do not count, however many it had", () => {
  const few = { a: 1, b: { a: 2 } };
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
  expect([few, few, many, few, many].map(scan)).toEqual(Array.from({ length: 5 }, () => "plain"));
  expect(scan('{"a":1,"a":2}')).toBe("doubtful");
  expect(scan(few)).toBe("plain");
});

test("a scan that ends early does not affect the next one", () => {
  expect(scan(`{"a":1,"b":${"[".repeat(200)}`)).toBe("tooDeep");
  expect(scan({ a: 1, b: 2 })).toBe("plain");
});
