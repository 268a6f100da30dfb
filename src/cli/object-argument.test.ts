import { expect, test } from "vitest";
import { parseObject } from "./object-argument.ts";

test.each([
  [["cm", "web"], 0, { kind: "cm", name: "web", versions: [] }],
  [["cm/web", undefined], 0, { kind: "cm", name: "web", versions: [] }],
  [["events.events/a.b"], 0, { kind: "events.events", name: "a.b", versions: [] }],
  [["cm", "web@12"], 1, { kind: "cm", name: "web", versions: ["12"] }],
  [["cm/web@12", "@13"], 2, { kind: "cm", name: "web", versions: ["12", "13"] }],
  [["cm", "web", "@13"], 2, { kind: "cm", name: "web", versions: ["13"] }],
  [["cm", "we@b"], 0, { kind: "cm", name: "we@b", versions: [] }],
])("%j is parsed", (words, most, expected) => {
  expect(parseObject(words, most, "x")).toEqual(expected);
});

test.each([
  [["cm"], 0],
  [["cm/"], 0],
  [["/web"], 0],
  [["cm", ""], 0],
  [["cm/web", "more"], 0],
  [["cm", "web@"], 1],
  [["cm", "@12"], 1],
  [["cm", "web@1e3"], 1],
  [["cm", "web@-1"], 1],
  [["cm", "web@1", "@2"], 1],
  [["cm", "web@1", "2"], 2],
])("%j is refused with an example", (words, most) => {
  expect(() => parseObject(words, most, "keelson blame configmap web")).toThrow(
    expect.objectContaining({ usage: true, message: expect.stringContaining("keelson blame configmap web") as string }),
  );
});
