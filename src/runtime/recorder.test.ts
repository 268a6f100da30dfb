import { expect, test } from "vitest";
import { type ApiObject, Client, type Transport } from "../client/index.ts";
import { type CoreEvent, Event } from "../client/kinds/index.ts";
import { type Call, FakeServer, settle } from "../client/testing/fake-transport.ts";
import { Activity, pauseCount } from "../util/activity.ts";
import { ManualClock } from "../util/clock.ts";
import { type EventForm, Recorder, countedForm, seriesForm } from "./recorder.ts";

const object = (name: string): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "team", uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
});

function setUp(answers = true, form: EventForm = seriesForm(Event), paused?: Promise<void>) {
  const server = new FakeServer();
  const clock = new ManualClock();
  const failures: string[] = [];
  const written: Event[] = [];
  const patches: object[] = [];
  const activity = new Activity(clock);
  const transport: Transport = async (request) => {
    const pause = pauseCount();
    await paused;
    pause[Symbol.dispose]();
    return server.transport(request);
  };
  const client = new Client(paused ? transport : server.transport, { userAgent: "test", clock });
  const recorder = new Recorder({
    client,
    form,
    clock,
    activity,
    failed: (error) => failures.push(String(error)),
  });
  const record = (regarding: ApiObject, note: string): void =>
    recorder.record({ type: "Normal", reason: "Seen", note, regarding, source: "test", instance: "test-1" });
  const answer = (call: Call): void => {
    if (call.request.method === "PATCH") patches.push(call.body as object);
    else written.push(call.body as Event);
    call.json(call.body);
  };
  const flush = async (): Promise<void> => {
    for (let quiet = 0; quiet < 10; quiet++) {
      await settle();
      while (answers && server.waiting > 0) {
        quiet = 0;
        answer(await server.next());
      }
    }
  };
  return { server, clock, activity, failures, written, patches, record, flush, answer };
}

test("a source that floods has its burst, then one more event every five minutes, however often it tries", async () => {
  const { clock, written, record, flush } = setUp();
  for (let second = 0; second < 3600; second++) {
    record(object("a"), `note ${second}`);
    clock.advance(1000);
    if (second % 100 === 0) await flush();
  }
  await flush();
  expect(written.length).toBeGreaterThanOrEqual(25 + 11);
  expect(written.length).toBeLessThanOrEqual(25 + 12);
});

test("an event that is not answered within 30 s is given up, and the next ones are written", async () => {
  const { server, clock, written, failures, record, flush, answer } = setUp(false);
  record(object("a"), "lost");
  record(object("b"), "written");
  await flush();
  const lost = await server.next();
  clock.advance(30_000);
  await flush();
  expect([lost.request.signal?.aborted, failures.length]).toEqual([true, 1]);
  answer(await server.next());
  await flush();
  expect(written.map(({ note }) => note)).toEqual(["written"]);
});

test("EV-6: while the server accepts nothing a thousand events wait, the others are dropped, and that is reported once", async () => {
  const { server, failures, record, flush, answer } = setUp(false);
  for (let n = 0; n < 100_000; n++) record(object(`o${n}`), "note");
  await flush();
  let count = 0;
  for (; server.waiting > 0; count++) {
    answer(await server.next());
    await flush();
  }
  expect([count, failures]).toEqual([1000, ["Error: events are dropped: 1000 wait to be written"]]);
});

test("dropped events are reported once for all drops of a flood, however many events are written meanwhile", async () => {
  const { server, failures, record, flush, answer } = setUp(false);
  const flood = (round: number): void => {
    for (let n = 0; n < 1500; n++) record(object(`o${round}-${n}`), "note");
  };
  flood(0);
  for (let round = 1; round <= 20; round++) {
    await flush();
    answer(await server.next());
    flood(round);
  }
  expect(failures.length).toBe(1);
  for (await flush(); server.waiting > 0; await flush()) answer(await server.next());
  flood(21);
  expect(failures.length).toBe(2);
});

test.each([
  ["with characters of several bytes", "é".repeat(1024)],
  ["with pairs of surrogates", "👍".repeat(500)],
  ["that fits", "x".repeat(1024)],
])("a note %s has at most 1024 bytes, and only whole characters", async (_, note) => {
  const { written, record, flush } = setUp();
  record(object("a"), note);
  await flush();
  const [event] = written;
  expect(Buffer.byteLength(event!.note!)).toBeLessThanOrEqual(1024);
  expect(event!.note!.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(event!.note!)).toBeGreaterThan(1015);
});

test.each(["system:node:A", `${"a".repeat(199)}-b`, "a.".repeat(126), ":", "plain"])(
  "an event about %s has a name that the server takes",
  async (name) => {
    const { written, record, flush } = setUp();
    record(object(name), "note");
    await flush();
    const made = written[0]!.metadata.name;
    expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(made.length).toBeLessThanOrEqual(253);
  },
);

test("of the core group, events of one reason about an object are combined from the tenth text on", async () => {
  const { clock, written, patches, record, flush } = setUp(true, countedForm);
  for (let i = 0; i < 13; i++) record(object("a"), `note ${i}`);
  record(object("b"), "note 1");
  await flush();
  const texts = written.map((event) => (event as unknown as CoreEvent).message);
  const combined = "(combined from similar events): note";
  expect(texts).toEqual([...Array.from({ length: 9 }, (_, i) => `note ${i}`), `${combined} 9`, "note 1"]);
  expect(patches).toMatchObject([10, 11, 12].map((i) => ({ count: i - 8, message: `${combined} ${i}` })));
  const [single, , , , , , , , , similar] = written as unknown as CoreEvent[];
  expect(single!.reportingComponent).toBe("test");
  expect(similar!.reportingComponent).toBeUndefined();
  clock.advance(601_000);
  record(object("a"), "later");
  await flush();
  expect((written.at(-1) as unknown as CoreEvent).message).toBe("later");
});

test("events count as work until all are written, but not while a request waits for the clock", async () => {
  const { promise: due, resolve } = Promise.withResolvers<void>();
  const { activity, written, record, flush } = setUp(true, seriesForm(Event), due);
  record(object("a"), "one");
  record(object("b"), "another");
  expect(activity.count).toBe(1);
  await flush();
  expect([activity.count, written.length]).toEqual([0, 0]);
  resolve();
  await settle();
  await flush();
  expect([activity.count, written.length]).toEqual([0, 2]);
});
