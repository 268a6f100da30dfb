import { expect, test } from "vitest";
import { unpacked } from "./any.ts";
import { MESSAGES } from "./messages.ts";
import { Failure, type Value } from "./values.ts";

const valueOf = (name: string, bytes: Uint8Array): Value =>
  unpacked(`x/google.protobuf.${name}`, bytes, (full) => MESSAGES.get(full));

/** Bytes as a field with a length, nested that many times. */
function nested(times: number, inner: Uint8Array, ...fields: readonly number[]): Uint8Array {
  let bytes: Uint8Array = inner;
  for (let i = 0; i < times; i++) {
    for (const field of fields) bytes = Buffer.concat([Buffer.from([field * 8 + 2]), lengthOf(bytes), bytes]);
  }
  return bytes;
}

function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  for (let left = length; ; left >>>= 7) {
    bytes.push(left < 128 ? left : (left & 127) | 128);
    if (left < 128) return Uint8Array.from(bytes);
  }
}

test("CEL-6: lists in lists are read as deep as they may be, and no deeper", () => {
  const empty = new Uint8Array();
  expect(valueOf("Value", nested(40, empty, 1, 6))).not.toBeInstanceOf(Failure);
  expect(valueOf("Value", nested(5000, empty, 1, 6))).toBeInstanceOf(Failure);
});

test("CEL-6: what is packed many times is unpacked without going deeper each time", () => {
  const url = Buffer.from("\x0a\x13google.protobuf.Any", "latin1");
  let bytes: Uint8Array = Buffer.from("\x0a\x19google.protobuf.BoolValue\x12\x02\x08\x01", "latin1");
  for (let i = 0; i < 2000; i++) bytes = Buffer.concat([url, nested(1, bytes, 2)]);
  expect(valueOf("Any", bytes)).toBe(true);
});

test("CEL-6: an unreadable message is reported with its beginning only", () => {
  const { message } = valueOf("BoolValue", new Uint8Array(100_000).fill(0xff)) as Failure;
  expect(message).toMatch(
    /^unsupported conversion to ref.Val: \(\*dynamicpb.Message\)type_url:"x.google.protobuf.BoolValue"/,
  );
  expect(message.length).toBeLessThan(10_000);
});
