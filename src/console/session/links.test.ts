import { expect, test } from "vitest";
import { Links } from "./links.ts";

const owner = (user: string) => ({ user, credential: { kind: "token", token: user } as const });

test("links are bounded for a user, and for all of them", () => {
  let time = 0;
  let made = 0;
  const links = new Links(
    () => time,
    () => `c${made++}`,
  );
  for (let i = 0; i < 10_000; i++) links.make(owner("kim"));
  expect(links.size).toBe(8);
  expect(links.use("c9991")).toBeUndefined();
  expect(links.use("c9992")).toMatchObject({ user: "kim" });
  expect(links.use("c9992")).toBeUndefined();
  for (let i = 0; links.size < 1000; i++) links.make(owner(`u${i}`));
  expect(() => links.make(owner("late"))).toThrow("1000 links to the console are not opened yet");
  time = 60_001;
  const code = links.make(owner("late"));
  expect(links.size).toBe(1);
  expect(links.use(code)).toMatchObject({ user: "late" });
});
