import { expect, test } from "vitest";
import { bindingOf, keyName, type KeyGroup } from "./keys.ts";

const event = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});

test("keys have names", () => {
  expect(keyName(event(" "))).toBe("Space");
  expect(keyName(event("d", { ctrlKey: true }))).toBe("Ctrl-d");
  expect(keyName(event("d", { metaKey: true }))).toBe("Ctrl-d");
  expect(keyName(event("?"))).toBe("?");
});

test("the first group that knows a key has it, and a text that is typed has all others", () => {
  const run = () => undefined;
  const groups: KeyGroup[] = [
    { title: "List", bindings: [{ keys: "Escape q", does: "list", run }] },
    {
      title: "Everywhere",
      bindings: [
        { keys: "Escape", does: "back", run },
        { keys: "F1", does: "help", run, always: true },
      ],
    },
  ];
  expect(bindingOf(groups, "Escape", false)?.does).toBe("list");
  expect(bindingOf(groups, "q", false)?.does).toBe("list");
  expect(bindingOf(groups, "q", true)).toBeUndefined();
  expect(bindingOf(groups, "F1", true)?.does).toBe("help");
});
