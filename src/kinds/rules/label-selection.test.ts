import { expect, test } from "vitest";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { expectNotLong } from "../../util/testing/slices.ts";
import { selectorText } from "./label-selection.ts";

test("a selector is printed as a query says it, a list of one value as it was written", () => {
  const expression = { key: "k", operator: "In", values: ["y", "x"] };
  const one = { key: "z", operator: "In", values: ["v"] };
  expect(selectorText({ matchLabels: { a: "b" }, matchExpressions: [expression, one] })).toBe(
    "a=b,k in (x,y),z in (v)",
  );
  expect(
    selectorText({
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "b", operator: "DoesNotExist" },
      ],
    }),
  ).toBe("a,!b");
});

test("a selector of as many expressions as an object may have is printed in a turn that is not long", async () => {
  const matchExpressions = Array.from({ length: 16_000 }, (_, i) => ({ key: `k${i}`, operator: "In", values: ["v"] }));
  expectNotLong(await leastCpu(() => void selectorText({ matchExpressions }), 60), 60);
});
