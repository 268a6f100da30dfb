import { expect, test } from "vitest";
import { testServer } from "../testing/test-server.ts";

const CM = "/api/v1/namespaces/n/configmaps";

/** Keeps the event loop for some ms. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("a long list leaves the event loop to others between its pieces, however fast its reader is", async () => {
  // Each look at an entry is made slow, also the one for the size of the answer.
  const { ask, put, resource } = await testServer({ unmetered: true });
  for (let i = 0; i < 40; i++) {
    await put({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `o${i}`, namespace: "n" },
      data: { k: "x".repeat(100_000) },
    });
  }
  const configMaps = resource("configmaps");
  const view = configMaps.view.bind(configMaps);
  configMaps.view = (entry) => {
    busy(4);
    return view(entry);
  };
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
  expect(turns).toBeGreaterThan(8);
});
