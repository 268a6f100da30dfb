import { afterEach, beforeEach, expect, test } from "vitest";
import { CoreEvent } from "../../src/client/kinds/index.ts";
import { eventExpiry } from "../../src/controllers/event-expiry.ts";
import { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
beforeEach(async () => {
  world = await World.start("neutral");
});
afterEach(() => world.close());

/** Records an Event of the namespace `team`. */
async function happen(name: string, reason = "Seen"): Promise<void> {
  const involvedObject = { kind: "ConfigMap", name: "x", namespace: "team" };
  await world.resource(CoreEvent).create({ metadata: { name, namespace: "team" }, involvedObject, reason });
}

const names = async (): Promise<string[]> =>
  (await world.resource(CoreEvent).list({ namespace: "team" })).items.map(({ metadata }) => metadata.name);

test("EV-3: an Event goes an hour after it was written, not before", async () => {
  await world.run(eventExpiry(HOUR));
  await happen("first");
  await world.pass(30 * MINUTE, MINUTE);
  await happen("second");
  await world.pass(30 * MINUTE - 1000, MINUTE);
  expect(await names()).toEqual(["first", "second"]);
  await world.pass(2000);
  expect(await names()).toEqual(["second"]);
  await world.pass(30 * MINUTE, MINUTE);
  expect(await names()).toEqual([]);
});

test("EV-3: each write gives an Event its time anew", async () => {
  await world.run(eventExpiry(HOUR));
  await happen("again");
  await world.pass(50 * MINUTE, MINUTE);
  await world.resource(CoreEvent).patch({ name: "again", namespace: "team" }, { count: 2 });
  await world.pass(50 * MINUTE, MINUTE);
  expect(await names()).toEqual(["again"]);
  await world.pass(11 * MINUTE, MINUTE);
  expect(await names()).toEqual([]);
});

test("EV-3: Events that were due while nothing ran go at the start, others in their time", async () => {
  await happen("old");
  await world.pass(61 * MINUTE, MINUTE);
  await happen("young");
  await world.run(eventExpiry(HOUR));
  await world.calm();
  await world.pass(100);
  expect(await names()).toEqual(["young"]);
  await world.pass(61 * MINUTE, MINUTE);
  expect(await names()).toEqual([]);
});

test("an Event that somebody else deletes is no failure, and one of the same name lives its own time", async () => {
  await world.run(eventExpiry(HOUR));
  await happen("gone");
  await world.pass(30 * MINUTE, MINUTE);
  await world.resource(CoreEvent).delete({ name: "gone", namespace: "team" });
  await happen("gone", "Reborn");
  await world.pass(59 * MINUTE, MINUTE);
  expect(await names()).toEqual(["gone"]);
  await world.pass(2 * MINUTE, MINUTE);
  expect(await names()).toEqual([]);
  expect(world.warnings).toEqual([]);
});

test("a controller that was stopped removes nothing", async () => {
  const running = await world.run(eventExpiry(HOUR));
  await happen("stays");
  await world.calm();
  await running.stop();
  await world.pass(2 * HOUR, 10 * MINUTE);
  expect(await names()).toEqual(["stays"]);
});
