import { expect, test } from "vitest";
import { rowsInView } from "./rows-in-view.ts";

test.each([
  ["at the top", 0, 100, { from: 0, to: 18 }],
  ["in the middle", 1000, 5000, { from: 92, to: 118 }],
  ["with fewer rows than fit", 0, 3, { from: 0, to: 3 }],
  ["beyond the end, after rows were deleted", 9000, 10, { from: 10, to: 10 }],
  ["without rows", 0, 0, { from: 0, to: 0 }],
])("the rows that are seen %s", (_, top, count, expected) => {
  expect(rowsInView(top, 100, 10, count)).toEqual(expected);
});
