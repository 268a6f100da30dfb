/** Events of containers: one for each start, with the messages of a kubelet. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { CoreEvent } from "../../src/client/kinds/index.ts";
import { recordStarts } from "../../src/node/containers/record-starts.ts";
import { NodeWorld } from "./node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
});
afterEach(() => world[Symbol.asyncDispose]());

/** The Events of the agent about a Pod, as `Started spec.containers{c}`. */
async function starts(name: string): Promise<readonly string[]> {
  const { items } = await world.resource(CoreEvent).list();
  const about = items.filter(
    ({ involvedObject, source }) => involvedObject.name === name && source.component === "kubelet",
  );
  return about
    .map(({ reason, involvedObject, message }) => `${reason} ${involvedObject.fieldPath}: ${message}`)
    .toSorted();
}

test("each container of a running Pod has Events that it was created and started, also after a restart of the agent", async () => {
  await world.start({ pods: "run-nothing" });
  const initContainers = [{ name: "first", image: "i" }];
  await world.pod("p", [], { initContainers });
  const told = [
    "Created spec.containers{c}: Container created",
    "Created spec.initContainers{first}: Container created",
    "Started spec.containers{c}: Container started",
    "Started spec.initContainers{first}: Container started",
  ];
  expect(await starts("p")).toEqual(told);
  await world.agent!.stop();
  await world.start({ pods: "run-nothing" });
  await world.advance("1m");
  expect(await starts("p")).toEqual(told);
});

test("a Pod whose containers are held gets no Events", async () => {
  await world.start({ pods: "hold" });
  await world.pod("p", []);
  expect(await starts("p")).toEqual([]);
});

test("a container that starts again gets another Event", () => {
  const told: string[] = [];
  const event = (_type: string, _pod: unknown, reason: string) => void told.push(reason);
  const record = { pod: { status: {} }, started: new Map<string, string>() } as never;
  const running = (startedAt: string, restartCount: number) =>
    ({ init: [], main: [{ name: "c", restartCount, state: { running: { startedAt } } }] }) as never;
  recordStarts(event, record, running("2030-01-01T00:00:00Z", 0));
  recordStarts(event, record, running("2030-01-01T00:00:00Z", 0));
  expect(told).toEqual(["Created", "Started"]);
  recordStarts(event, record, running("2030-01-01T00:00:00Z", 1));
  expect(told).toEqual(["Created", "Started", "Created", "Started"]);
});
