/**
 * A suite of controller-runtime and envtest, unchanged but for the reset between tests, through `keelson run`.
 *
 * @module
 */
import { expect, test } from "vitest";
import { runCommand } from "../../src/testing/index.ts";
import { built } from "../clients/built.ts";

const suite = await built({
  name: "go-kit-suite",
  folder: new URL("../../examples/go/", import.meta.url).pathname,
  commands: (output) => [["go", "test", "-c", "-o", `${output}/suite`, "."]],
});

test.skipIf(suite === undefined)("a suite of controller-runtime passes", { timeout: 180_000 }, async () => {
  expect(await runCommand([`${suite}/suite`, "-test.failfast"], { control: true })).toBe(0);
});
