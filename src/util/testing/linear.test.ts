import { expect, test } from "vitest";
import { expectLinear } from "./linear.ts";

test("a pass over the text is linear", async () => {
  await expectLinear(
    (size) => "x".repeat(size),
    (text) => text.replaceAll("x", "y"),
  );
});

test("a pass that starts again at each character is not linear", async () => {
  const trailing = / +$/;
  const tries = expectLinear(
    (size) => `${" ".repeat(size)}x`,
    (text) => trailing.test(text),
  );
  await expect(tries).rejects.toThrow("20000 characters took");
});
