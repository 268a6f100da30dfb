import { describe, expect, test } from "vitest";
import type { DeliveryPoint, Plan, RequestPoint } from "./contract/plan.ts";
import type { StoredObject } from "./contract/state.ts";
import { NormalNames } from "./names.ts";
import { Player } from "./player.ts";

const create = { actor: "operator", protocol: "api", verb: "create" } as const;
const secret = { group: "", kind: "Secret", namespace: "default", name: "a-cert" };
const at = (more: Partial<RequestPoint> = {}): RequestPoint => ({ ...create, ...secret, occurrence: 0, ...more });
const request = (more: object = {}) => ({ ...create, object: secret, ...more });
const event = (more: Partial<DeliveryPoint> = {}): DeliveryPoint => {
  return { actor: "operator", ...secret, change: "ADDED", occurrence: 0, ...more };
};
const delivery = (revision: number, change: "ADDED" | "MODIFIED" = "ADDED") => {
  return { actor: "operator", object: secret, change, revision } as const;
};
const typesOf = (found: readonly { readonly perturbation: { readonly type: string } }[]): readonly string[] =>
  found.map(({ perturbation }) => perturbation.type);
const playerOf = (...plan: Plan): Player => new Player(plan, new NormalNames());

describe("requests", () => {
  test("meet a perturbation at their occurrence, among those that are alike", () => {
    const player = playerOf({ type: "answer-lost", at: at({ occurrence: 1 }) });
    expect(player.request(request())).toEqual([]);
    expect(player.request(request({ actor: "other" }))).toEqual([]);
    expect(player.request(request({ object: { ...secret, name: "b" } }))).toEqual([]);
    expect(player.request(request({ subresource: "status" }))).toEqual([]);
    expect(player.met).toEqual([false]);
    expect(typesOf(player.request(request()))).toEqual(["answer-lost"]);
    expect(player.request(request())).toEqual([]);
    expect(player.met).toEqual([true]);
  });

  test("are refused as often as the plan says", () => {
    const player = playerOf({ type: "refused", at: at({ occurrence: 1 }), with: "conflict", times: 2 });
    expect([1, 2, 3, 4].map(() => player.request(request()).length)).toEqual([0, 1, 1, 0]);
  });

  test("meet a point with a generated name by its prefix", () => {
    const names = new NormalNames();
    const plan: Plan = [
      { type: "answer-lost", at: at({ name: "a-*" }) },
      { type: "answer-lost", at: at({ verb: "update", name: "a-*", occurrence: 1 }) },
    ];
    const player = new Player(plan, names);
    expect(player.request(request({ object: { ...secret, name: undefined }, generateName: "a-" }))).toHaveLength(1);
    names.learn({ metadata: { name: "a-x8k2p", generateName: "a-" } } as StoredObject);
    const update = request({ verb: "update", object: { ...secret, name: "a-x8k2p" } });
    expect(player.request(update)).toEqual([]);
    expect(player.request(update)).toHaveLength(1);
  });

  test("of a program wait for slow webhooks, its reads do not", () => {
    const player = playerOf({ type: "slow-webhooks", actor: "operator", byMillis: 1000 });
    expect(player.request(request({ verb: "list" }))).toEqual([]);
    expect(player.request(request({ actor: "other" }))).toEqual([]);
    expect(player.request(request())).toHaveLength(1);
    expect(player.request(request())).toHaveLength(1);
  });
});

describe("deliveries", () => {
  test("meet a perturbation by their change and occurrence", () => {
    const player = playerOf({ type: "lag", at: event({ change: "MODIFIED", occurrence: 1 }) });
    expect(player.heedsDeliveries).toBe(true);
    expect(player.delivery(delivery(3))).toEqual([]);
    expect(player.delivery(delivery(4, "MODIFIED"))).toEqual([]);
    expect(typesOf(player.delivery(delivery(5, "MODIFIED")))).toEqual(["lag"]);
  });

  test("are what a stale restart goes back behind; before them it does not happen", () => {
    const plan = [{ type: "stale-restart", at: at({ occurrence: 1 }), behind: event() }] as const;
    const player = playerOf(...plan);
    player.readsOlder("operator");
    expect(player.staleRevision(0)).toBeUndefined();
    expect(player.delivery(delivery(7))).toEqual([]);
    expect(player.request(request())).toEqual([]);
    expect(typesOf(player.request(request()))).toEqual(["stale-restart"]);
    expect(player.staleRevision(0)).toBe(6);

    const early = playerOf(...plan);
    early.readsOlder("operator");
    expect([early.request(request()), early.request(request())]).toEqual([[], []]);
    expect(early.met).toEqual([false]);
  });
});

test("a stale restart shows nothing older to a program that asks for the latest state: it does not happen", () => {
  const player = playerOf({ type: "stale-restart", at: at(), behind: event() });
  player.readsOlder("other");
  player.delivery(delivery(7));
  expect(player.request(request())).toEqual([]);
  expect(player.met).toEqual([false]);
});

test("nodes are lost when a step begins, the clock jumps when it is at rest", () => {
  const player = playerOf(
    { type: "node-lost", step: 1, node: "node-1", forMillis: 60_000 },
    { type: "clock-jump", step: 1, byMillis: 3_600_000 },
  );
  expect([player.step(0, "begun"), player.step(0, "quiet")]).toEqual([[], []]);
  expect(typesOf(player.step(1, "begun"))).toEqual(["node-lost"]);
  expect(player.met).toEqual([true, false]);
  expect(typesOf(player.step(1, "quiet"))).toEqual(["clock-jump"]);
});
