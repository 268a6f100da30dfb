import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { builtInControllers, chooseControllers } from "./index.ts";
import { CONTROLLERS } from "./names.ts";

const all = builtInControllers({
  dialect: kubernetes,
  eventTtlMillis: 1000,
  caCertificate: "",
});
const chosen = (names: readonly string[]): string[] =>
  chooseControllers(all, names).map(({ name }) => name.replace("keelson-", ""));

describe("chooseControllers", () => {
  test.each([
    [["*"], ["namespace", "event-expiry", "serviceaccount", "root-ca"]],
    [["none"], []],
    [[], []],
    [["event-expiry"], ["event-expiry"]],
    [
      ["root-ca", "namespace"],
      ["namespace", "root-ca"],
    ],
    [["-namespace"], ["event-expiry", "serviceaccount", "root-ca"]],
    [
      ["-namespace", "-root-ca"],
      ["event-expiry", "serviceaccount"],
    ],
    [
      ["*", "-event-expiry"],
      ["namespace", "serviceaccount", "root-ca"],
    ],
    [["namespace", "-namespace"], []],
  ])("%j chooses %j", (names, expected) => {
    expect(chosen(names)).toEqual(expected);
  });

  test.each(["namespaces", "-namespaces", "--namespace", "all"])(
    "%s is refused with the names that there are",
    (name) => {
      expect(() => chosen([name])).toThrow(
        `expected --controllers to name some of namespace, event-expiry, serviceaccount, root-ca, got "${name}"`,
      );
    },
  );
});

test("controllers that only clusters with pods need do not run in the neutral dialect", () => {
  const names = builtInControllers({
    dialect: neutral,
    eventTtlMillis: 1000,
    caCertificate: "",
  }).map(({ name }) => name.replace("keelson-", ""));
  expect(names).toEqual(["namespace", "event-expiry"]);
});

test("every controller is known by its name before any is made", () => {
  expect(chosen(["*"]).toSorted()).toEqual(Object.keys(CONTROLLERS).toSorted());
});
