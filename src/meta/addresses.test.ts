import { expect, test } from "vitest";
import {
  addressBytes,
  addressText,
  familyOf,
  networkOf,
  networkText,
  addressWarnings,
  networkWarnings,
  specialAddressFault,
  addressFault,
  networkFault,
  legacyAddressFault,
  legacyNetworkFault,
} from "./addresses.ts";

test("KIND-All-22: addresses are read in the forms of old, and written in one form", () => {
  for (const [text, right] of [
    ["10.0.0.1", "10.0.0.1"],
    ["010.000.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["::", "::"],
    ["1::", "1::"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ] as const) {
    expect(addressText(addressBytes(text)!)).toBe(right);
    expect(legacyAddressFault(text)).toBeUndefined();
  }
  for (const none of [
    "",
    "x",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "1:2",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
    "g::",
    "1.2.3.4::",
  ]) {
    expect(addressBytes(none)).toBeUndefined();
    expect(legacyAddressFault(none)).toBeDefined();
    expect(addressFault(none)).toBeDefined();
    expect([...addressWarnings("f", none), ...networkWarnings("f", `${none}/8`)]).toEqual([]);
  }
  expect(familyOf(addressBytes("::ffff:1.2.3.4")!)).toBe("IPv4");
  expect(familyOf(addressBytes("::1")!)).toBe("IPv6");
});

test("KIND-All-22: the standard form has no zeros in front, no IPv4 in IPv6 and no bits of the host", () => {
  for (const right of ["10.0.0.1", "0.0.0.0", "2001:db8::1"]) expect(addressFault(right)).toBeUndefined();
  for (const wrong of ["010.0.0.1", "10.0.0.01", "::ffff:1.2.3.4", "2001:DB8::1", "2001:db8:0::1"]) {
    expect(addressFault(wrong)).toBeDefined();
  }
  for (const right of ["10.0.0.0/24", "0.0.0.0/0", "2001:db8::/64", "10.0.0.1/32"])
    expect(networkFault(right)).toBeUndefined();
  for (const wrong of [
    "10.0.0.1/24",
    "10.0.0.0/33",
    "010.0.0.0/8",
    "10.0.0.0/024",
    "10.0.0.0",
    "/8",
    "x/8",
    "::ffff:1.2.3.0/120",
    "2001:DB8::/64",
    "2001:db8:0::/64",
  ]) {
    expect(networkFault(wrong)).toBeDefined();
  }
  for (const accepted of ["10.0.0.1/24", "010.0.0.0/8", "::ffff:1.2.3.0/120"])
    expect(legacyNetworkFault(accepted)).toBeUndefined();
  for (const none of ["10.0.0.0", "10.0.0.0/33", "x/8"]) expect(legacyNetworkFault(none)).toBeDefined();
  expect(networkText(networkOf("10.0.0.77/24")!)).toBe("10.0.0.0/24");
  expect(networkText(networkOf("2001:db8::77/112")!)).toBe("2001:db8::/112");
});

test("KIND-All-22: an accepted form that is not canonical has a warning", () => {
  const address = (text: string) => [...addressWarnings("spec.ip", text)];
  expect(address("010.0.0.1")).toEqual([expect.stringContaining('use "10.0.0.1"')]);
  expect(address("2001:DB8::1")).toEqual([expect.stringContaining("RFC 5952")]);
  expect(address("10.0.0.1")).toEqual([]);
  const network = (text: string) => [...networkWarnings("spec.cidr", text)];
  const ambiguous = expect.stringContaining('"10.0.0.1/32"');
  expect(network("10.0.0.1/24")).toEqual([ambiguous]);
  expect(network("010.0.0.1/24")).toEqual([ambiguous, expect.stringContaining('use "10.0.0.0/24"')]);
  expect(network("::ffff:1.2.3.0/120")).toEqual([expect.stringContaining('use "1.2.3.0/24"')]);
  expect(network("10.0.0.0/08")).toEqual([expect.stringContaining('use "10.0.0.0/8"')]);
  expect(network("2001:DB8::/64")).toEqual([expect.stringContaining("RFC 5952")]);
  expect(network("10.0.0.0/24")).toEqual([]);
});

test("KIND-Service-14: loopback, link-local, multicast and unspecified addresses are no endpoints", () => {
  for (const none of ["127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "::", "::1", "fe80::1", "ff02::1"]) {
    expect(specialAddressFault(addressBytes(none)!)).toBeDefined();
  }
  for (const some of ["10.0.0.1", "8.8.8.8", "2001:db8::1"])
    expect(specialAddressFault(addressBytes(some)!)).toBeUndefined();
});
