import { expect, test } from "vitest";
import { networkVersion } from "./network.ts";

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
