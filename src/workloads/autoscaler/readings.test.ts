import { expect, test } from "vitest";
import { milliOf, quantityOf, resourceQuantity } from "./readings.ts";

test.each([
  ["1", 1000],
  ["250m", 250],
  ["1500u", 2],
  ["1Ki", 1_024_000],
  ["2G", 2_000_000_000_000],
  ["0", 0],
  ["nonsense", 0],
])("%s is %i thousandths", (text, milli) => {
  expect(milliOf(text)).toBe(milli);
});

test.each([
  ["cpu", 250, "250m"],
  ["cpu", 2000, "2"],
  ["memory", 64 * 1024 * 1024 * 1000, "64Mi"],
  ["memory", 1_025_000, "1025"],
  ["memory", 512_000, "512"],
  ["memory", 1500, "1500m"],
])("%s of %i thousandths is %s", (resource, milli, text) => {
  expect(resourceQuantity(resource, milli)).toBe(text);
});

test("other metrics are decimal", () => {
  expect([quantityOf(4500), quantityOf(30_000), quantityOf(0)]).toEqual(["4500m", "30", "0"]);
});
