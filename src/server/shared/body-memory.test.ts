/** Memory of bodies: who is given room, who waits, who makes way. */
import { describe, expect, test } from "vitest";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import type { Metric } from "../../util/exposition.ts";
import { BodyMemory, type BodyReservation, STEP } from "./body-memory.ts";

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A memory with so many bytes for starts and as many for inflated ones, and twice as many for the rest. */
class Fixture {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly #memory: BodyMemory;

  constructor(most: number) {
    this.#memory = new BodyMemory(this.clock, 4 * most);
  }

  open(connection: object = {}): BodyReservation {
    return this.#memory.open(connection);
  }

  /** Reserves memory; returns whether it was available, and else the name of the result. */
  take(room: BodyReservation, bytes: number, name = "", part: "start" | "rest" | "inflated" = "start"): boolean {
    const refused = (why: unknown): void => void this.told.push(`${name} ${(why as { code: number }).code}`);
    room.onRefused = refused;
    const wait = room.take(part, bytes);
    wait?.then(() => this.told.push(name), refused);
    return wait === undefined;
  }

  /** What is held, how many wait, how many were refused. */
  get figures(): number[] {
    return (this.#memory.metrics() as Metric[]).map(({ samples }) => samples[0]!.value);
  }
}

test("who finds room waits for nothing, and gives back what is more than came", () => {
  const fixture = new Fixture(2 * STEP);
  const room = fixture.open();
  expect(fixture.take(room, STEP)).toBe(true);
  expect(fixture.take(room, 3 * STEP, "", "rest")).toBe(true);
  room.whole(STEP + 100);
  expect(fixture.figures).toEqual([STEP + 100, 0, 0]);
  room.whole(100);
  expect(fixture.figures).toEqual([100, 0, 0]);
  room[Symbol.dispose]();
  room[Symbol.dispose]();
  expect(fixture.figures).toEqual([0, 0, 0]);
});

test("of those who wait, the one goes on whose connection holds least, else who came first", async () => {
  const fixture = new Fixture(100);
  const [greedy, modest, other] = [{}, {}, {}];
  const [first, second, third] = [fixture.open(greedy), fixture.open(greedy), fixture.open(modest)];
  expect([fixture.take(first, 40), fixture.take(second, 50), fixture.take(third, 10)]).toEqual([true, true, true]);
  fixture.take(fixture.open(greedy), 20, "greedy");
  fixture.take(fixture.open(modest), 20, "modest");
  fixture.take(fixture.open(other), 20, "other");
  fixture.take(fixture.open(other), 20, "other again");
  first[Symbol.dispose]();
  await settle();
  expect(fixture.told).toEqual(["other", "modest"]);
  second[Symbol.dispose]();
  await settle();
  expect(fixture.told).toEqual(["other", "modest", "greedy", "other again"]);
});

test("a small one does not overtake who waits: the large one would wait for ever", async () => {
  const fixture = new Fixture(100);
  const room = fixture.open();
  fixture.take(room, 60);
  fixture.take(fixture.open(), 80, "large");
  expect(fixture.take(fixture.open(), 10, "small")).toBe(false);
  room[Symbol.dispose]();
  await settle();
  expect(fixture.told).toEqual(["large", "small"]);
});

test("who announces much and sends nothing holds a start; he makes way when others wait and he has had his time", async () => {
  const fixture = new Fixture(100);
  const idle = fixture.open();
  fixture.take(idle, 90, "idle");
  fixture.clock.advance(10_000);
  expect(fixture.told).toEqual([]);
  fixture.take(fixture.open(), 50, "late");
  await settle();
  expect([fixture.told, fixture.figures]).toEqual([
    ["idle 429", "late"],
    [50, 0, 1],
  ]);
});

test("who gets on does not make way, who stops does", async () => {
  const fixture = new Fixture(100);
  const slow = fixture.open();
  fixture.take(slow, 50, "slow", "rest");
  fixture.take(fixture.open(), 180, "next", "rest");
  for (let i = 0; i < 5; i++) {
    fixture.clock.advance(1_900);
    slow.sent(STEP);
  }
  await settle();
  expect(fixture.told).toEqual([]);
  fixture.clock.advance(3_000);
  await settle();
  expect(fixture.told).toEqual(["slow 429", "next"]);
});

test("bodies that are sent at once share their connection: where others of it come, none makes way but for the poorer", async () => {
  const fixture = new Fixture(100);
  const connection = {};
  const [slow, fast] = [fixture.open(connection), fixture.open(connection)];
  fixture.take(slow, 50, "slow");
  fixture.take(fast, 50, "fast");
  fixture.take(fixture.open(connection), 50, "of the same connection");
  for (let i = 0; i < 5; i++) {
    fixture.clock.advance(1_900);
    fast.sent(STEP);
  }
  expect(fixture.told).toEqual([]);
  fixture.take(fixture.open(), 50, "of another connection");
  await settle();
  expect(fixture.told).toEqual(["slow 429", "of another connection"]);
});

test("what is whole does not make way, and who waits for it too long is refused", async () => {
  const fixture = new Fixture(100);
  const room = fixture.open();
  fixture.take(room, 90, "whole");
  room.whole(90);
  fixture.take(fixture.open(), 50, "waits");
  fixture.clock.advance(29_000);
  await settle();
  expect(fixture.told).toEqual([]);
  fixture.clock.advance(2_000);
  await settle();
  expect([fixture.told, fixture.figures]).toEqual([["waits 429"], [90, 0, 1]]);
});

test("a body that the server keeps waiting is not displaced, whatever it holds of another part", async () => {
  const fixture = new Fixture(100);
  const [whole, patient] = [fixture.open(), fixture.open()];
  fixture.take(whole, 200, "whole", "rest");
  whole.whole(STEP + 200);
  fixture.take(patient, 90, "patient");
  fixture.take(patient, 100, "patient", "rest");
  fixture.take(fixture.open(), 50, "next");
  fixture.clock.advance(20_000);
  await settle();
  expect(fixture.told).toEqual([]);
  whole[Symbol.dispose]();
  await settle();
  expect(fixture.told).toEqual(["patient"]);
});

test("a sender that leaves while it waits delays no other", async () => {
  const fixture = new Fixture(100);
  const [room, gone] = [fixture.open(), fixture.open()];
  fixture.take(room, 90);
  fixture.take(gone, 50, "gone");
  fixture.take(fixture.open(), 10, "behind");
  gone[Symbol.dispose]();
  await settle();
  expect(fixture.told).toEqual(["behind"]);
});

describe("bodies by chance, larger and smaller than the memory of all", () => {
  test.each([1, 2, 3, 4, 5])(
    "all are read to their ends, and never more is held than there may be (%i)",
    async (seed) => {
      const fixture = new Fixture(3 * STEP);
      const random = seededRandom(seed);
      const connections = Array.from({ length: 5 }, () => ({}));
      let peak = 0;
      const take = async (room: BodyReservation, part: "start" | "rest" | "inflated", bytes: number): Promise<void> => {
        await room.take(part, bytes);
        peak = Math.max(peak, fixture.figures[0]!);
        if (random.next() < 0.5) await settle();
      };
      const read = async (): Promise<void> => {
        using room = fixture.open(connections[Math.floor(random.next() * connections.length)]!);
        await take(room, "start", STEP * random.next());
        if (random.next() < 0.5) await take(room, "rest", 10 * STEP * random.next());
        room.whole(STEP);
        if (random.next() < 0.5) await take(room, "inflated", 10 * STEP * random.next());
      };
      await Promise.all(Array.from({ length: 60 }, read));
      expect(fixture.figures).toEqual([0, 0, 0]);
      expect(peak).toBeLessThanOrEqual(12 * STEP);
      expect(peak).toBeGreaterThan(6 * STEP);
    },
  );
});
