/** Event: EV-1..32, EVT-1..4, ERR-5, LIM-1, LIM-2. */
import { describe, expect, test } from "vitest";
import { Client } from "../../src/client/index.ts";
import { Event, neutral } from "../../src/client/kinds/index.ts";
import { serve } from "./api.ts";
import { EVENT, place } from "./resources.ts";

const api = serve();
const short = serve({ "event-ttl": "30s" });

const create = (event: object) => {
  const at = place("Event");
  return api.post(at.collection, { metadata: { name: at.name }, ...event });
};

const without = (key: string): object => Object.fromEntries(Object.entries(EVENT).filter(([k]) => k !== key));

describe("required fields", () => {
  test.each([
    ["EV-7, AMB-4", "eventTime"],
    ["EV-8", "action"],
    ["EV-11", "reason"],
    ["EV-17", "type"],
    ["EV-21", "reportingController"],
    ["EV-22", "reportingInstance"],
  ])("%s, ERR-5: a new event without %s is refused", async (_, key) => {
    const answer = await create(without(key));
    expect([answer.status, answer.fields]).toEqual([422, [key]]);
  });

  test.each(["action", "reason", "type", "reportingController", "reportingInstance"])(
    "EV-8, EV-11, EV-17, EV-21, EV-22, ERR-5: so is one with an empty %s",
    async (key) => {
      const answer = await create({ ...EVENT, [key]: "" });
      expect([answer.status, answer.fields]).toEqual([422, [key]]);
    },
  );

  test("ERR-5, DEC-19: every empty field is named at once", async () => {
    const answer = await create({});
    expect(answer.status).toBe(422);
    expect(answer.fields).toEqual(Object.keys(EVENT).sort());
  });
});

describe("lengths and values", () => {
  test.each([
    ["EV-10, LIM-1", "action"],
    ["EV-13, LIM-1", "reason"],
    ["EV-23, LIM-1", "reportingInstance"],
  ])("%s: %s has at most 128 characters", async (_, key) => {
    expect((await create({ ...EVENT, [key]: "x".repeat(128) })).status).toBe(201);
    expect((await create({ ...EVENT, [key]: "ü".repeat(128) })).status).toBe(201);
    const over = await create({ ...EVENT, [key]: "x".repeat(129) });
    expect([over.status, over.fields]).toEqual([422, [key]]);
  });

  test("EV-14, EV-15, LIM-2, AMB-15: note is optional and at most 1024 bytes", async () => {
    expect((await create(EVENT)).body).not.toHaveProperty("note");
    expect((await create({ ...EVENT, note: "x".repeat(1024) })).status).toBe(201);
    expect((await create({ ...EVENT, note: "x".repeat(1025) })).fields).toEqual(["note"]);
    expect((await create({ ...EVENT, note: "ü".repeat(512) })).status).toBe(201);
    expect((await create({ ...EVENT, note: "ü".repeat(513) })).status).toBe(422);
  });

  test.each([
    ["Normal", 201],
    ["Warning", 201],
    ["Error", 422],
    ["normal", 422],
  ])("EV-17, EV-18, EVT-4: the type %s answers %i", async (type, status) => {
    expect((await create({ ...EVENT, type })).status).toBe(status);
  });

  test("EV-12: action and reason are any text", async () => {
    const texts = { action: "Did_Something", reason: "Because it was asked: äöü" };
    expect((await create({ ...EVENT, ...texts })).body).toMatchObject(texts);
  });
});

describe("optional fields", () => {
  const REFERENCE = {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "elsewhere",
    name: "p",
    uid: "u",
    resourceVersion: "5",
    fieldPath: "spec.containers{c}",
  };

  test("EV-19, EV-20, DEC-6, AMB-20: regarding and related are kept, and may be absent", async () => {
    const plain = await create(EVENT);
    expect([plain.status, plain.body["related"]]).toEqual([201, undefined]);
    const full = await create({ ...EVENT, regarding: REFERENCE, related: REFERENCE });
    expect(full.body).toMatchObject({ regarding: REFERENCE, related: REFERENCE });
  });

  test("CONV-2: series is unset for a single event", async () => {
    expect((await create(EVENT)).body).not.toHaveProperty("series");
  });

  test("EV-25, EV-26, EV-27, EV-28, AMB-18: deprecated fields are accepted and returned", async () => {
    const deprecated = {
      deprecatedCount: 3,
      deprecatedFirstTimestamp: "2026-01-02T03:04:05Z",
      deprecatedLastTimestamp: "2026-01-02T03:04:06Z",
      deprecatedSource: { component: "c", host: "h" },
    };
    const made = await create({ ...EVENT, ...deprecated });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining(deprecated)]);
  });

  test.each([
    ["EV-29", { lastObservedTime: "2026-01-02T03:04:05.000000Z" }, "series.count"],
    ["EV-30", { count: 2 }, "series.lastObservedTime"],
    ["EV-29, EV-30", {}, "series.count"],
    ["DEC-39", { count: 1, lastObservedTime: "2026-01-02T03:04:05.000000Z" }, "series.count"],
  ])("%s: an incomplete series is refused (%j)", async (_, series, field) => {
    const answer = await create({ ...EVENT, series });
    expect(answer.status).toBe(422);
    expect(answer.fields).toContain(field);
  });
});

describe("life", () => {
  test("EV-31, AMB-19: a series is updated as often as its reporter likes and never by the server", async () => {
    const at = place("Event");
    await api.post(at.collection, { metadata: { name: at.name }, ...EVENT });
    for (let count = 2; count < 6; count++) {
      const series = { count, lastObservedTime: `2026-01-02T03:04:05.00000${count}Z` };
      const patched = await api.merge(at.item, { series });
      expect([patched.status, patched.at("series")]).toEqual([200, series]);
    }
    expect((await api.get(at.item)).at("series.count")).toBe(5);
  });

  test("AMB-19: reason and note may change, under the same rules", async () => {
    const at = place("Event");
    await api.post(at.collection, { metadata: { name: at.name }, ...EVENT });
    const changed = await api.merge(at.item, { reason: "Other", note: "now so", action: "Else" });
    expect([changed.status, changed.at("reason"), changed.at("note")]).toEqual([200, "Other", "now so"]);
    expect((await api.merge(at.item, { reason: "" })).status).toBe(422);
    expect((await api.merge(at.item, { note: "x".repeat(1025) })).status).toBe(422);
  });

  test("EVT-1, EVT-2: events are created, read, replaced, patched and deleted, and watches see it", async () => {
    const at = place("Event");
    using watch = await api.watch(at.collection);
    await api.post(at.collection, { metadata: { name: "a" }, ...EVENT });
    await api.put(`${at.collection}/a`, { metadata: { name: "a" }, ...EVENT, note: "n" });
    await api.merge(`${at.collection}/a`, { note: "m" });
    await api.delete(`${at.collection}/a`);
    await api.post(at.collection, { metadata: { name: "b" }, ...EVENT });
    await api.delete(at.collection);
    expect(await watch.take(6)).toEqual(["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a", "ADDED b", "DELETED b"]);
  });

  test("EV-3, EVT-3, DEC-30: an event disappears after the retention time", async () => {
    const at = place("Event");
    await short.post(at.collection, { metadata: { name: at.name }, ...EVENT });
    await short.pass(29_000);
    expect((await short.get(at.item)).status).toBe(200);
    expect((await short.until(at.item, (answer) => answer.status === 404, 60_000)).status).toBe(404);
  });

  test("EV-16, LIM-2: the client library reads notes of 64 kB", async () => {
    const note = "ü".repeat(32_768);
    const event = { apiVersion: "events.svc.io/v1", kind: "Event", metadata: { name: "e" }, ...EVENT, note };
    const bytes = new TextEncoder().encode(JSON.stringify(event));
    const client = new Client(
      () =>
        Promise.resolve({
          status: 200,
          body: (async function* () {
            for (let at = 0; at < bytes.length; at += 1001) yield bytes.subarray(at, at + 1001);
          })(),
        }),
      { userAgent: "test" },
    );
    const events = client.resource(neutral(Event));
    expect((await events.get({ name: "e", namespace: "n" })).note).toBe(note);
  });

  test("EV-32: no status", async () => {
    const made = await create({ ...EVENT, status: { phase: "x" } });
    expect(made.body).not.toHaveProperty("status");
    expect(made.warnings).toEqual(['unknown field "status"']);
  });

  test.each([
    ["regarding.kind=Pod", ["a"]],
    ["regarding.name=p,regarding.uid=u", ["a"]],
    ["reason=Because", ["a", "b"]],
    ["type=Warning", ["b"]],
    ["reportingController=example.com/controller", ["a", "b"]],
    ["type!=Warning", ["a"]],
  ])("DEC-25: the field selector %s finds %j", async (fieldSelector, names) => {
    const at = place("Event");
    await api.post(at.collection, {
      metadata: { name: "a" },
      ...EVENT,
      regarding: { kind: "Pod", name: "p", uid: "u" },
    });
    await api.post(at.collection, { metadata: { name: "b" }, ...EVENT, type: "Warning" });
    expect((await api.get(at.collection, { fieldSelector })).names).toEqual(names);
  });
});

test("DEC-29: a write makes no Event by itself", async () => {
  const { ns, collection, item } = place("PersistentVolumeClaim");
  await api.post(collection, { metadata: { name: item.slice(item.lastIndexOf("/") + 1) }, spec: {} });
  await api.merge(item, { metadata: { labels: { a: "b" } } });
  await api.delete(item);
  expect((await api.get(`/apis/events.svc.io/v1/namespaces/${ns}/events`)).names).toEqual([]);
});
