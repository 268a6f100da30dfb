import { expect, test } from "vitest";
import { ageText } from "./age.ts";

test("ages are printed as kubectl prints them", () => {
  const age = (seconds: number): string => ageText(0, seconds * 1000);
  expect(age(0)).toBe("0s");
  expect(age(119)).toBe("119s");
  expect(age(120)).toBe("2m");
  expect(age(121)).toBe("2m1s");
  expect(age(599)).toBe("9m59s");
  expect(age(600)).toBe("10m");
  expect(age(3 * 3600 - 1)).toBe("179m");
  expect(age(3 * 3600)).toBe("3h");
  expect(age(3 * 3600 + 61)).toBe("3h1m");
  expect(age(8 * 3600)).toBe("8h");
  expect(age(47 * 3600)).toBe("47h");
  expect(age(2 * 86_400)).toBe("2d");
  expect(age(2 * 86_400 + 3600)).toBe("2d1h");
  expect(age(8 * 86_400 + 3600)).toBe("8d");
  expect(age(729 * 86_400)).toBe("729d");
  expect(age(730 * 86_400)).toBe("2y");
  expect(age(735 * 86_400)).toBe("2y5d");
  expect(age(8 * 365 * 86_400)).toBe("8y");
});

test("a time in the future has no age yet", () => {
  expect(ageText(5000, 0)).toBe("0s");
});
