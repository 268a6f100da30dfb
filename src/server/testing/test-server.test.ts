import { expect, test } from "vitest";
import { sliceBound } from "../../util/testing/slices.ts";
import type { InjectResponse } from "../http/inject.ts";
import { CM, configMap, testServer } from "./test-server.ts";

/** Asks a server whose every response holds the event loop. */
async function askSlow(options: { readonly unmetered: boolean }): Promise<InjectResponse> {
  const { ask, put, resource } = await testServer(options);
  await put(configMap("a"));
  const most = sliceBound() * 1000;
  const configMaps = resource("configmaps");
  const view = configMaps.view.bind(configMaps);
  configMaps.view = (entry) => {
    for (const began = process.threadCpuUsage(); process.threadCpuUsage(began).user < 2 * most;);
    return view(entry);
  };
  return ask("GET", `${CM}/a`);
}

test("a request that holds the event loop fails its test, unless the server is not metered", async () => {
  await expect(askSlow({ unmetered: false })).rejects.toThrow("Expected no slice of GET");
  await expect(askSlow({ unmetered: true })).resolves.toMatchObject({ code: 200 });
});
