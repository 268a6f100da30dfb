import { expect, test } from "vitest";
import { parseQuantity } from "../meta/quantity.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Simulation } from "../simulation/index.ts";
import { ManualClock } from "../util/clock.ts";
import { simulatedMetrics } from "./simulated-metrics.ts";

test("whatever a Pod requests, its metrics and those of its node are quantities", async () => {
  const pod = { metadata: { name: "p", namespace: "n" }, spec: { nodeName: "one" }, status: { phase: "Running" } };
  const node = { metadata: { name: "one" } };
  const lookup = {
    get: (plural: string) => (plural === "pods" ? pod : node),
    collect: async (plural: string) => [plural === "pods" ? pod : node],
  } as unknown as Lookup;
  for (const [cpu, memory] of [
    [1e22, 1e30],
    [Infinity, Infinity],
  ]) {
    const simulation = { isSimulated: () => true, usage: () => [{ name: "c", cpu, memory }] } as unknown as Simulation;
    const metrics = simulatedMetrics({ lookup, clock: new ManualClock(), simulation: () => simulation });
    const shown = [];
    // oxlint-disable-next-line no-await-in-loop -- two
    for (const make of metrics.values()) shown.push(await make({ namespace: "", name: undefined } as never));
    const text = JSON.stringify(shown);
    const quantities = [...text.matchAll(/"(?:cpu|memory)":"([^"]*)"/g)].map(([, quantity]) => quantity!);
    expect(quantities).toHaveLength(4);
    expect(quantities.filter((one) => parseQuantity(one) === undefined)).toEqual([]);
  }
});
