import { expect, test } from "vitest";
import { selectorFault } from "./devices.ts";

const A = 'device.attributes["dra.example.com"]';
const C = 'device.capacity["dra.example.com"]';
const reason = (source: string, hasShares = false): string | undefined => selectorFault(source, hasShares)?.reason;

test.each([
  "true",
  'device.driver == "dra.example.com"',
  `${A}.model == "m" && ${A}.version.isGreaterThan(semver("1.2.0"))`,
  // The type of an attribute is known only at run time.
  `${A}.isFast`,
  `has(${A}.isFast) && ${A}.isFast`,
  `${C}.memory.compareTo(quantity("1Gi")) >= 0`,
  `device.attributes.exists(domain, domain.endsWith(".example.com"))`,
  `${A}.all(name, value, value != 1)`,
  `cel.bind(dra, ${A}, dra.isFast && dra.isNear)`,
])("KIND-ResourceClaim-2: %s is a selector", (source) => {
  expect(selectorFault(source, false)).toBeUndefined();
});

test.each([
  ["", "Syntax error"],
  ["nope(", "Syntax error"],
  ["1 + 1", "must evaluate to bool or the unknown type, not int"],
  ["device.driver", "not string"],
  // The types of values below an attribute are not known.
  [`${A}.model.name`, "not dyn"],
  ["device.nodeName == 'n'", "undefined field 'nodeName'"],
  ["self.driver == 'd'", "undeclared reference to 'self'"],
  [`${C}.memory > 1`, "no matching overload"],
  ['"%s".format([device.attributes["a"].b]) == "c"', "error during formatting"],
  ["cel.bind(1, 2, true)", "simple identifiers"],
  ["cel.bind(a, 1)", "undeclared reference to 'bind'"],
  ["dra.bind(a, 1, true)", "undeclared reference to 'dra'"],
])("KIND-ResourceClaim-2: %s is none", (source, why) => {
  expect(selectorFault(source, false)).toEqual({ reason: "FieldValueInvalid", why: expect.stringContaining(why) });
});

test("KIND-ResourceClaim-2: a text that cannot be made ready is none of a client's faults", () => {
  expect(reason('device.driver.find("[") == ""')).toBe("InternalError");
});

test("KIND-ResourceClaim-2: what a selector may cost follows from the most that devices may have", () => {
  const pairs = (body: string): string =>
    `device.attributes.all(d, device.attributes.all(e, device.attributes[d].all(k, device.attributes[e].all(l, ${body}))))`;
  expect(reason('device.attributes.all(d, device.attributes[d].all(k, k.matches("a*b*")))')).toBeUndefined();
  expect(reason(pairs("k == l"))).toBe("FieldValueForbidden");
  expect(reason("lists.range(1000).all(i, lists.range(1000).all(j, i != j))")).toBe("FieldValueForbidden");
  const terms = (count: number): string =>
    Array.from({ length: count }, () => `${A}.text.contains(device.driver)`).join(" && ");
  expect(reason(terms(200))).toBeUndefined();
});

test("KIND-ResourceClaim-2: whether several may have a device is known where that may be", () => {
  expect(reason("device.allowMultipleAllocations", true)).toBeUndefined();
  expect(reason("device.allowMultipleAllocations", false)).toBe("FieldValueInvalid");
});
