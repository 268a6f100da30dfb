import { expect, test } from "vitest";
import type { Write } from "../client/index.ts";
import { Pod } from "../client/kinds/index.ts";
import { ManualClock } from "../util/clock.ts";
import type { Informers } from "./informers.ts";
import { OwnWrites } from "./own-writes.ts";

test("a key with many writes waits for each in its turn, not for all of them at each event", async () => {
  const MANY = 2000;
  const stored = new Set(Array.from({ length: MANY }, (_, i) => `p-${i}`));
  let looks = 0;
  let look = (): void => {};
  const memory = {
    get({ name }: { readonly name: string }) {
      looks++;
      return stored.has(name) ? { metadata: { name, uid: name } } : undefined;
    },
  };
  const onProgress = (listener: () => void): Disposable => {
    look = listener;
    return { [Symbol.dispose]() {} };
  };
  const reflector = { hasSynced: true, hasEnded: false, selection: {}, memory, onProgress };
  const informers = { of: () => [reflector] } as unknown as Informers;
  const late: string[] = [];
  const writes = new OwnWrites(informers, new ManualClock(), (key) => void late.push(key));
  for (const name of stored) {
    const answer = { metadata: { uid: name } } as unknown as Write["response"];
    writes.add("k", { verb: "delete", kind: Pod, key: { namespace: "n", name }, response: answer } as unknown as Write);
  }
  const shown = writes.shown("k");
  looks = 0;
  for (const name of stored) {
    stored.delete(name);
    look();
  }
  await shown;
  expect(looks).toBeLessThan(3 * MANY);
  expect(late).toEqual([]);
});
