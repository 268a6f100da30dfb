import { isIP } from "node:net";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { addressBytes, withoutZone } from "./address.ts";

test.each([
  ["127.0.0.1", "7f000001"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["2001:db8::8:800:200c:417a", "20010db80000000000080800200c417a"],
  ["2001:DB8:0:0:8:800:200C:417A", "20010db80000000000080800200c417a"],
  ["::ffff:10.1.2.3", "00000000000000000000ffff0a010203"],
  ["1::", "00010000000000000000000000000000"],
  ["fe80::1%eth0", "fe800000000000000000000000000001"],
])("the bytes of %s", (text, hex) => {
  expect(addressBytes(text)?.toString("hex")).toBe(hex);
  expect(isIP(text)).not.toBe(0);
});

test.each(["", "localhost", "256.0.0.1", "1.2.3", "1.2.3.4.5", ":::", "1:2", "12345::", "::1]", "a:b@c"])(
  "%j is no address",
  (text) => {
    expect(addressBytes(text)).toBeUndefined();
    expect(isIP(text)).toBe(0);
  },
);

test.each([
  ["fe80::1%eth0", "fe80::1"],
  ["fe80::1%a%b", "fe80::1"],
  ["fe80::1%", "fe80::1"],
  ["fe80::1", "fe80::1"],
  ["%", ""],
  ["", ""],
])("%j without its zone is %j", (address, bare) => {
  expect(withoutZone(address)).toBe(bare);
});

test.each(["%", "%\n", "1.", ":", "a"])("%j again and again costs a time that grows with the text", async (part) => {
  await expectLinear((size) => `${part.repeat(size / part.length)}\n`, addressBytes);
});
