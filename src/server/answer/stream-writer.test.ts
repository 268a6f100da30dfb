import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { testServer } from "../testing/test-server.ts";

const CM = "/api/v1/namespaces/n/configmaps";

/** A clock on which every look costs more time than somebody may keep the event loop. */
class Slow extends ManualClock {
  #now = 0;
  override steady(): number {
    return (this.#now += 11);
  }
}

test("a long list leaves the event loop to others between its pieces, however fast its reader is", async () => {
  const { ask, put } = await testServer({ clock: new Slow() });
  for (let i = 0; i < 40; i++) {
    await put({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `o${i}`, namespace: "n" },
      data: { k: "x".repeat(100_000) },
    });
  }
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const { length } = await (await ask("GET", CM)).bytes();
  done = true;
  expect(length).toBeGreaterThan(4_000_000);
  expect(turns).toBeGreaterThan(10);
});
