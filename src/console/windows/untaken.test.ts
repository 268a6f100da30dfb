import { expect, test } from "vitest";
import { Untaken } from "./untaken.ts";

test("a user with many streams loses them, and no other one does", () => {
  const untaken = new Untaken(1000);
  const gone: string[] = [];
  const send = (user: string, name: string, length: number): void =>
    void untaken.count({ user, destroy: () => gone.push(name) }, "x".repeat(length), new Promise(() => {}));
  send("kim", "kim's", 120);
  for (let i = 0; i < 5; i++) send("eve", `eve's ${i}`, 100);
  expect(gone).toEqual(["eve's 0", "eve's 1", "eve's 2"]);
  send("kim", "kim's second", 210);
  expect(gone.slice(3)).toEqual(["kim's", "kim's second"]);
});

test("the stream goes whose message has waited longest; what is taken does not count", async () => {
  const untaken = new Untaken(1000);
  const gone: string[] = [];
  const ends = new Map<string, () => void>();
  const send = (name: string, length: number): Promise<void> => {
    const taken = new Promise<void>((resolve) => ends.set(name, resolve));
    return untaken.count({ user: "kim", destroy: () => gone.push(name) }, "x".repeat(length), taken);
  };
  const first = send("first", 100);
  void send("second", 100);
  void send("third", 100);
  expect([untaken.bytes, gone]).toEqual([900, []]);
  ends.get("first")!();
  await first;
  void send("fourth", 100);
  expect([untaken.bytes, gone]).toEqual([900, []]);
  void send("fifth", 100);
  expect([untaken.bytes, gone]).toEqual([900, ["second"]]);
  const sixth = send("sixth", 10_000);
  ends.get("sixth")!();
  await sixth;
  expect(gone).toEqual(["second", "third", "fourth", "fifth", "sixth"]);
  expect(untaken.bytes).toBe(0);
});
