import { expect, test } from "vitest";
import { Failure, type Value, Values } from "../values.ts";
import { jsonOfMade } from "./mutation.ts";

test("CEL-27: a value of few parts that are used often has a bound as JSON", () => {
  const doubled = (n: number): Value => {
    let value: Value = new Values(["x"]);
    for (let i = 0; i < n; i++) value = new Values([value, value]);
    return value;
  };
  const failure = jsonOfMade(doubled(40));
  expect(failure).toBeInstanceOf(Failure);
  expect((failure as Failure).message).toBe("the expression evaluated to more than 400000 values");
  expect(jsonOfMade(doubled(2))).toEqual([
    [["x"], ["x"]],
    [["x"], ["x"]],
  ]);
});
