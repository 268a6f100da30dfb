import { describe, expect, test } from "vitest";
import type { DeliveryPoint, Perturbation } from "../../explore/contract/plan.ts";
import type { DeliveryPerturbation, Met } from "../../explore/player.ts";
import type { Resource, WatchBatch } from "../../registry/index.ts";
import { type Arrival, type GatedWatch, Gates } from "./gates.ts";
import type { ProgramLife } from "./identity.ts";

const life = (actor: string): ProgramLife => ({ actor, life: 0, stale: undefined, isOver: false });
const operator = life("operator");
const at: DeliveryPoint = {
  actor: "operator",
  group: "",
  kind: "ConfigMap",
  name: "a",
  change: "ADDED",
  occurrence: 0,
};
const resource = {
  object: ({ revision }: { readonly revision: number }) => ({
    metadata: { name: `r${revision}`, uid: `uid-${revision}` },
  }),
} as unknown as Resource;
const batch = (...revisions: readonly number[]): WatchBatch => ({
  events: revisions.map((revision) => ({ type: "ADDED", entry: { revision } })) as unknown as WatchBatch["events"],
  revision: revisions.at(-1)!,
  initialEnd: false,
  memo: undefined,
});

/** Gates of a run in which the event of a revision meets a perturbation. */
function gatesOf(plan: Readonly<Record<number, Perturbation>>) {
  const told: string[] = [];
  const arrived: string[] = [];
  const gates = new Gates({
    meets: ({ program, revision }) => {
      const perturbation = plan[revision];
      if (!perturbation || program.actor !== "operator") return [];
      return [{ index: 0, perturbation } as Met<DeliveryPerturbation>];
    },
    arrived: ({ program, revision }: Arrival) => arrived.push(`${program.actor} ${revision}`),
    told: (_index, phase, detail) => told.push(`${phase}: ${detail}`),
  });
  const watch = (program = operator, kind = "ConfigMap", allowsBookmarks = true): [GatedWatch, string[]] => {
    const seen: string[] = [];
    const output = {
      events: ({ events }: WatchBatch) => seen.push(...events.map(({ entry }) => String(entry.revision))),
      bookmark: (revision: number) => seen.push(`bookmark ${revision}`),
      error: ({ code }: { readonly code: number }) => seen.push(`error ${code}`),
      end: () => seen.push("end"),
      destroy: () => seen.push("destroyed"),
    };
    const facts = { program, kind: { group: "", kind }, resource, allowsBookmarks, isStale: false };
    return [gates.watch(output as never, facts), seen];
  };
  return { gates, watch, told, arrived };
}

describe("a lag", () => {
  test("holds all later events of its kind and program, and of no other one", () => {
    const { gates, watch } = gatesOf({ 2: { type: "lag", at } });
    const [held, seen] = watch();
    const [sameKind, alsoSeen] = watch();
    const [ofSecrets, secrets] = watch(operator, "Secret");
    const [ofOther, others] = watch(life("other"));
    held.events(batch(1, 2, 3));
    for (const one of [held, sameKind, ofSecrets, ofOther]) one.events(batch(4));
    held.bookmark(5, false);
    expect([seen, alsoSeen, secrets, others]).toEqual([["1"], [], ["4"], ["4"]]);
    while (gates.release(0));
    expect([seen, alsoSeen]).toEqual([["1", "2", "3", "4", "bookmark 5"], ["4"]]);
    held.events(batch(6));
    expect(seen.at(-1)).toBe("6");
  });

  test("lets one batch of each watch go on at a time, and says when it begins and ends", () => {
    const { gates, watch, told, arrived } = gatesOf({ 1: { type: "lag", at } });
    const [held, seen] = watch();
    held.events(batch(1));
    held.events(batch(2));
    expect([gates.release(0), [...seen]]).toEqual([true, ["1"]]);
    expect([gates.release(0), [...seen]]).toEqual([true, ["1", "2"]]);
    expect(told).toEqual(["begun: watches of ConfigMap by operator stand still"]);
    expect([gates.release(0), gates.release(0)]).toEqual([true, false]);
    expect(told.at(-1)).toBe("ended: watches of ConfigMap by operator continue");
    expect(arrived).toEqual(["operator 1", "operator 2"]);
  });
});

describe("a gap", () => {
  test("ends the watches of its kind with 410, and what has come meanwhile is never sent", () => {
    const { gates, watch, arrived } = gatesOf({ 2: { type: "gap", at } });
    const [held, seen] = watch();
    const [ofSecrets, secrets] = watch(operator, "Secret");
    held.events(batch(1, 2));
    held.events(batch(3));
    expect(gates.release(0)).toBe(true);
    held.events(batch(4));
    ofSecrets.events(batch(5));
    expect([seen, secrets, arrived]).toEqual([["1", "error 410"], ["5"], ["operator 1", "operator 5"]]);
  });

  test("lasts until its step is at rest", () => {
    const { gates, watch } = gatesOf({ 1: { type: "gap", at, untilStep: 2 } });
    watch()[0].events(batch(1));
    expect([0, 1].map((step) => [gates.isDue(step), gates.isBeyond(step), gates.release(step)])).toEqual([
      [false, true, false],
      [false, true, false],
    ]);
    expect([gates.isDue(2), gates.isBeyond(2), gates.release(2)]).toEqual([true, false, true]);
  });
});

test("a resync ends all watches of its program, of any kind, and none of another one", () => {
  const { watch } = gatesOf({ 2: { type: "resync", at } });
  const [met, seen] = watch();
  const [, secrets] = watch(operator, "Secret");
  const [ofOther, others] = watch(life("other"));
  met.events(batch(1, 2, 3));
  ofOther.events(batch(2));
  expect([seen, secrets, others]).toEqual([["1", "2", "error 410"], ["error 410"], ["2"]]);
});

test("a bookmark comes right after its event, to a watch that allows bookmarks", () => {
  const { watch } = gatesOf({ 1: { type: "bookmark", at } });
  const [allows, seen] = watch();
  const [refuses, none] = watch(operator, "ConfigMap", false);
  for (const one of [allows, refuses]) one.events(batch(1, 2));
  expect([seen, none]).toEqual([
    ["1", "bookmark 1", "2"],
    ["1", "2"],
  ]);
});

test("what a program that is gone has held is forgotten", () => {
  const { gates, watch, told } = gatesOf({ 1: { type: "gap", at, untilStep: 5 } });
  watch()[0].events(batch(1));
  gates.forget(life("other"));
  expect(gates.isBeyond(0)).toBe(true);
  gates.forget(operator);
  expect([gates.isBeyond(0), told.at(-1)]).toEqual([false, "ended: operator is gone"]);
});
