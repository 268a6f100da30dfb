import { expect, test, vi } from "vitest";
import { type TestServer, testServer } from "../testing/test-server.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { UserSlots, userSlotsMetrics } from "./user-slots.ts";

const watchSlots = (most: number): UserSlots => new UserSlots({ what: "watches", most });
const somebody = { user: "somebody", groups: ["system:authenticated"] };
const other = { user: "other", groups: [] };
const master = { user: "admin", groups: ["system:masters"] };

test("a user has so many watches and no more, others have their own, and masters as many as they like", () => {
  const places = watchSlots(2);
  const first = places.take(somebody);
  places.take(somebody);
  expect(() => places.take(somebody)).toThrow("--max-watches-per-user");
  places.take(other);
  for (let i = 0; i < 5; i++) places.take(master);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  places.take(somebody);
  expect(() => places.take(somebody)).toThrow("expected at most 2 watches");
});

test("nothing is kept of who has no watch any more", () => {
  const places = watchSlots(1);
  for (let i = 0; i < 100; i++) places.take({ user: `u${i}`, groups: [] })[Symbol.dispose]();
  expect(places.users).toBe(0);
  expect(watchSlots(0).take(somebody)).toBeDefined();
});

const WATCH = "/api/v1/configmaps?watch=true";
const reader = { headers: { authorization: "Bearer reader" } };
const watching = ({ server }: TestServer) => server.inject({ method: "GET", url: WATCH, ...reader });

/** A watch, once there is a place for it. */
const given = (server: TestServer) =>
  vi.waitFor(async () => {
    const response = await watching(server);
    expect(response.code).toBe(200);
    return response;
  });

test("the watch that is one too many gets 429 with Retry-After; one that was broken off, ended or refused gives its place back", async () => {
  const server = await testServer({ limits: { ...DEFAULT_LIMITS, watchesPerUser: 1 } });
  const first = await watching(server);
  const refused = await watching(server);
  expect([first.code, refused.code, refused.headers["retry-after"]]).toEqual([200, 429, "1"]);
  first.cancel();
  const second = await given(server);
  second.cancel();
  for (let i = 0; i < 3; i++) {
    const bad = await server.server.inject({ method: "GET", url: `${WATCH}&resourceVersion=x`, ...reader });
    expect(bad.code).toBe(400);
    const short = await server.server.inject({
      method: "GET",
      url: `${WATCH}&timeoutSeconds=0&resourceVersion=1000000`,
      ...reader,
    });
    expect(short.code).not.toBe(429);
    short.cancel();
  }
  await given(server);
});

test("metrics have the most slots of one user, and how often a limit was reached; they name no user", () => {
  const places = watchSlots(2);
  places.take(somebody);
  places.take(somebody);
  places.take(other);
  expect(() => places.take(somebody)).toThrow("found as many");
  expect(userSlotsMetrics([places])()).toMatchObject([
    { name: "keelson_user_limit_highest", samples: [{ labels: { limit: "watches" }, value: 2 }] },
    { name: "keelson_user_limit_refusals_total", samples: [{ labels: { limit: "watches" }, value: 1 }] },
  ]);
});
