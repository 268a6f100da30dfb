import { afterEach, beforeEach, expect, test } from "vitest";
import { CoreEvent } from "../../src/client/kinds/index.ts";
import { eventExpiry } from "../../src/controllers/garbage/event-expiry.ts";
import { World } from "../runtime/world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
beforeEach(async () => {
  world = await World.create("neutral");
});
afterEach(() => world[Symbol.asyncDispose]());

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
  await world.advance(30 * MINUTE);
  await happen("second");
  await world.advance(30 * MINUTE - 1000);
  expect(await names()).toEqual(["first", "second"]);
  await world.advance(2000);
  expect(await names()).toEqual(["second"]);
  await world.advance(30 * MINUTE);
  expect(await names()).toEqual([]);
});

test("EV-3: each write of an Event restarts its time", async () => {
  await world.run(eventExpiry(HOUR));
  await happen("again");
  await world.advance(50 * MINUTE);
  await world.resource(CoreEvent).patch({ name: "again", namespace: "team" }, { count: 2 });
  await world.advance(50 * MINUTE);
  expect(await names()).toEqual(["again"]);
  await world.advance(11 * MINUTE);
  expect(await names()).toEqual([]);
});

test("EV-3: Events that were due while nothing ran go at the start, others in their time", async () => {
  await happen("old");
  await world.advance(61 * MINUTE);
  await happen("young");
  await world.run(eventExpiry(HOUR));
  await world.settled();
  await world.advance(100);
  expect(await names()).toEqual(["young"]);
  await world.advance(61 * MINUTE);
  expect(await names()).toEqual([]);
});

test("an Event that another client deletes is no failure, and one with the same name has its own time", async () => {
  await world.run(eventExpiry(HOUR));
  await happen("gone");
  await world.advance(30 * MINUTE);
  await world.resource(CoreEvent).delete({ name: "gone", namespace: "team" });
  await happen("gone", "Reborn");
  await world.advance(59 * MINUTE);
  expect(await names()).toEqual(["gone"]);
  await world.advance(2 * MINUTE);
  expect(await names()).toEqual([]);
  expect(world.warnings).toEqual([]);
});

test("a controller that was stopped removes nothing", async () => {
  const running = await world.run(eventExpiry(HOUR));
  await happen("stays");
  await world.settled();
  await running.stop();
  await world.advance(2 * HOUR);
  expect(await names()).toEqual(["stays"]);
});

test("a hundred Events of one second go together, those of the next one a second later", async () => {
  await world.run(eventExpiry(HOUR));
  for (let n = 0; n < 100; n++) await happen(`a${n}`);
  await world.advance(1000);
  await happen("b");
  await world.advance(HOUR - 1500);
  expect((await names()).length).toBe(101);
  await world.advance(1000);
  expect(await names()).toEqual(["b"]);
  await world.advance(1000);
  expect(await names()).toEqual([]);
  expect(world.failures).toEqual([]);
});
