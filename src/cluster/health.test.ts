import { expect, test } from "vitest";
import type { CacherStats } from "../cache/index.ts";
import { ManualClock } from "../util/clock.ts";
import { cacheCheck } from "./health.ts";

type ResourceStats = CacherStats["resources"][number];

function setUp() {
  const clock = new ManualClock();
  const state = { stored: 10, revision: 10, resources: 3 };
  const cached = () => ({ revision: state.revision, resources: Array<ResourceStats>(state.resources) });
  const kinds = { storedResources: 3 };
  const { check } = cacheCheck({ clock, stored: () => state.stored, cached, kinds });
  return { clock, state, kinds, check };
}

test("a cache that keeps up is well", () => {
  const { clock, state, check } = setUp();
  for (let i = 0; i < 10; i++) {
    expect(check()).toBeUndefined();
    clock.advance(20_000);
    state.stored = state.revision = state.stored + 5;
  }
});

test("a cache that is behind and comes closer is well, one that stands still for half a minute is not", () => {
  const { clock, state, check } = setUp();
  state.stored = 1000;
  for (let i = 0; i < 10; i++) {
    expect(check()).toBeUndefined();
    clock.advance(20_000);
    state.revision++;
  }
  expect(check()).toBeUndefined();
  clock.advance(30_000);
  expect(check()).toBeUndefined();
  clock.advance(1);
  expect(check()).toBe("980 revisions behind the store");
  state.revision = 1000;
  expect(check()).toBeUndefined();
});

test("a cache that has stopped serving a resource is unhealthy", () => {
  const { state, check } = setUp();
  state.resources = 2;
  expect(check()).toBe("expected 3 resources to be served, got 2");
});

test("a resource that has gone on purpose is not missed", () => {
  const { state, kinds, check } = setUp();
  state.resources = 2;
  kinds.storedResources = 2;
  expect(check()).toBeUndefined();
});
