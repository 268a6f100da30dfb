import { expect, test } from "vitest";
import { MAX_LISTED_CONFLICTS, conflictMessage } from "./conflict.ts";

test("DEC-20: a message counts all conflicts and names a bounded number of fields", () => {
  const conflicts = Array.from({ length: 72_000 }, (_, i) => ({
    field: `.data.key-${i}`,
    message: 'conflict with "m"',
  }));
  const message = conflictMessage(conflicts as unknown as Parameters<typeof conflictMessage>[0]);
  expect(message).toMatch(/^Apply failed with 72000 conflicts: conflict with "m": \.data\.key-0, /);
  expect(message).toMatch(new RegExp(`; and ${72_000 - MAX_LISTED_CONFLICTS} more$`));
  expect(message.length).toBeLessThan(30_000);
});
