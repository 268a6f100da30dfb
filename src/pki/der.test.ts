import { describe, expect, test } from "vitest";
import { bitString, element, elements, explicit, implicit, integer, octetString, oid, sequence, time } from "./der.ts";

const hex = (bytes: Buffer): string => bytes.toString("hex");

describe("what is written (X.690)", () => {
  test.each([
    [0, "0400"],
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [65_536, "0483010000"],
  ])("a length of %i is as short as it can be", (length, head) => {
    expect(hex(octetString(Buffer.alloc(length)).subarray(0, head.length / 2))).toBe(head);
  });

  test.each([
    ["zero", [0], "020100"],
    ["zeros in front", [0, 0, 5], "020105"],
    ["a first bit that would be a sign", [0x80], "02020080"],
    ["none of that", [0x7f, 0xff], "02027fff"],
  ])("an integer with %s", (_, bytes, expected) => {
    expect(hex(integer(Buffer.from(bytes)))).toBe(expected);
  });

  test.each([
    ["2.5.29.35", "0603551d23"],
    ["1.2.840.10045.4.3.2", "06082a8648ce3d040302"],
    ["1.3.6.1.5.5.7.3.1", "06082b06010505070301"],
  ])("the identifier %s", (dotted, expected) => {
    expect(hex(oid(dotted))).toBe(expected);
  });

  test("tags of a context, around an element and in its place", () => {
    expect(hex(explicit(3, integer(Buffer.of(1))))).toBe("a303020101");
    expect(hex(implicit(7, Buffer.from([127, 0, 0, 1])))).toBe("87047f000001");
    expect(hex(bitString(Buffer.of(0x86), 1))).toBe("03020186");
  });

  test.each([
    ["2026-01-02T03:04:05.678Z", 0x17, "260102030405Z"],
    ["1950-01-01T00:00:00Z", 0x17, "500101000000Z"],
    ["2049-12-31T23:59:59.999Z", 0x17, "491231235959Z"],
    ["2050-01-01T00:00:00Z", 0x18, "20500101000000Z"],
    ["1949-12-31T23:59:59Z", 0x18, "19491231235959Z"],
  ])("RFC 5280 4.1.2.5: the time %s has two digits of the year until 2049, and four beyond", (at, tag, text) => {
    const [found] = elements(time(Date.parse(at)));
    expect([found!.tag, found!.content.toString()]).toEqual([tag, text]);
  });
});

test("elements come back as they were written, also long ones", () => {
  const long = octetString(Buffer.alloc(300, 7));
  const [outer] = elements(sequence(integer(Buffer.of(1)), long, element(0x05)));
  expect(elements(outer!.content).map(({ tag, content }) => [tag, content.length])).toEqual([
    [0x02, 1],
    [0x04, 300],
    [0x05, 0],
  ]);
  expect(elements(outer!.content)[1]!.whole.equals(long)).toBe(true);
});
