import { expect, test } from "vitest";
import { addressWarnings, networkVersion } from "./network.ts";

test.each([
  ["10.0.0.0/24", 4],
  ["0.0.0.0/0", 4],
  ["255.255.255.255/32", 4],
  ["2001:db8::/32", 6],
  ["::/0", 6],
  ["::ffff:10.0.0.1/128", 6],
  ["", 0],
  ["10.0.0.0", 0],
  ["10.0.0/24", 0],
  ["10.0.0.0.0/24", 0],
  ["10.0.0.256/24", 0],
  ["10.0.0.01/24", 0],
  ["10.0.0.0/33", 0],
  ["10.0.0.0/024", 0],
  ["::/129", 0],
  [":::/64", 0],
  ["example.com/8", 0],
])("%j is a network of version %i", (network, version) => {
  expect(networkVersion(network)).toBe(version);
});

test.each([
  ["10.0.0.1", 0],
  ["10.0.0.01", 1],
  ["010.000.0.1", 1],
  ["10.0.0.256", 0],
  ["::ffff:10.0.0.1", 1],
  ["::1", 0],
  ["fd00:0::1", 1],
  ["FD00::1", 1],
  ["none", 0],
])("KIND-All-22: %j is taken with %i Warnings", (address, count) => {
  expect(addressWarnings("spec.ip", address)).toHaveLength(count);
});
