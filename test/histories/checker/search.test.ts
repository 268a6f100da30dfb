import { describe, expect, test } from "vitest";
import { type Call, type Model, search } from "./search.ts";

/** A register of one number: `write 3`, or `read 3` where it was seen. */
type Input = readonly ["write" | "read", number];
/** When it was called, when it ended, what it did; `true` where it may never have happened. */
type Line = readonly [call: number, end: number, verb: Input[0], value: number, optional?: true];

const register: Model<Input, number> = {
  initial: 0,
  step: (state, [verb, value]) => (verb === "write" ? value : state === value ? state : undefined),
  text: String,
};

const calls = (...all: readonly Line[]): Call<Input>[] =>
  all.map(([call, end, verb, value, optional]) => ({
    call,
    return: end,
    input: [verb, value],
    optional: optional === true,
  }));

describe("a search in the history of a register", () => {
  test("one after the other: each read sees the last write", () => {
    expect(search(calls([1, 2, "write", 1], [3, 4, "read", 1]), register)).toBe("linearizable");
    expect(search(calls([1, 2, "write", 1], [3, 4, "read", 0]), register)).toBe("not linearizable");
  });

  test("a read beside a write may see the old value or the new one, but not the new one before the old one", () => {
    const write = [1, 10, "write", 1] as const;
    expect(search(calls(write, [2, 3, "read", 0], [4, 5, "read", 1]), register)).toBe("linearizable");
    expect(search(calls(write, [2, 3, "read", 1], [4, 5, "read", 0]), register)).toBe("not linearizable");
  });

  test("two writes side by side: all later reads agree which was the last", () => {
    const writes = [
      [1, 10, "write", 1],
      [1, 10, "write", 2],
    ] as const;
    expect(search(calls(...writes, [11, 12, "read", 1], [13, 14, "read", 1]), register)).toBe("linearizable");
    expect(search(calls(...writes, [11, 12, "read", 1], [13, 14, "read", 2]), register)).toBe("not linearizable");
  });

  test("what may never have happened may happen long after, once", () => {
    const lost = [1, Infinity, "write", 7, true] as const;
    expect(search(calls(lost, [2, 3, "read", 0]), register)).toBe("linearizable");
    expect(search(calls(lost, [2, 3, "read", 0], [50, 51, "read", 7]), register)).toBe("linearizable");
    const twice = calls(lost, [2, 3, "read", 7], [4, 5, "write", 1], [6, 7, "read", 1], [8, 9, "read", 7]);
    expect(search(twice, register)).toBe("not linearizable");
  });

  test("moments that touch are side by side", () => {
    expect(search(calls([1, 2, "write", 1], [2, 3, "read", 0]), register)).toBe("linearizable");
  });

  test("two thousand operations take no time; one wrong answer among them is found", () => {
    const good: Call<Input>[] = [];
    for (let i = 0; i < 2000; i++) {
      const value = Math.floor(i / 4);
      good.push({ call: i * 10, return: i * 10 + 45, input: [i % 4 === 0 ? "write" : "read", value], optional: false });
    }
    expect(search(good, register)).toBe("linearizable");
    const wrong = good.with(1501, { ...good[1501]!, input: ["read", 350] });
    expect(search(wrong, register)).toBe("not linearizable");
  });

  test("it gives up after so many steps, and says so", () => {
    const side = Array.from({ length: 14 }, (_, i) => [1, 100, "write", i] as const);
    expect(search(calls(...side, [101, 102, "read", 99]), register, 1000)).toBe("undecided");
  });
});
