import { describe, expect, test } from "vitest";
import { analyse } from "../causality.ts";
import type { ScenarioOutline } from "../contract/laboratory.ts";
import type { PerturbationType } from "../contract/plan.ts";
import { TraceBuilder } from "../testing/trace-builder.ts";
import { describePerturbation, perturbationRules, perturbationTypes, proposals } from "./index.ts";

const outline: ScenarioOutline = {
  name: "s",
  steps: ["make", "grow", "delete", "again"],
  usual: [0, 1, 2, 3],
  comparisons: [],
  nodes: ["node-1"],
};
const widget = { kind: "Widget", name: "w" };
const pod = (suffix: string) => ({ kind: "Pod", name: `w-${suffix}`, generateName: "w-" });

/** Creates a Pod with a generated name and a ConfigMap; changes, deletes and creates again with the Widget. */
const run = analyse(
  new TraceBuilder()
    .add({ type: "life", actor: "op", life: 0, event: "leading" })
    .step(0)
    .news("create", { ...widget, spec: { size: 1 } })
    .request("op", "list", { group: "", kind: "Pod", namespace: "default" })
    .write("create", pod("abcde"))
    .write("create", { kind: "ConfigMap", name: "w" })
    .write("patch", { kind: "Widget", name: "w", spec: { size: 1, made: true } }, { subresource: "status" })
    .step(1)
    .news("update", { ...widget, spec: { size: 2 } })
    .write("update", { kind: "ConfigMap", name: "w", spec: { size: 2 } })
    .step(2)
    .news("delete", widget)
    .write("delete", pod("abcde"))
    .step(3)
    .news("create", { ...widget, uid: "new", spec: { size: 1 } })
    .write("create", pod("fghij"))
    .request("op", "CreateVolume", { group: "csi", kind: "Volume", name: "v" }, { protocol: "csi", code: 0 }).trace,
);

const proposed = (type: PerturbationType) =>
  proposals(run, outline, new Set([type]))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ perturbation }) => describePerturbation(perturbation));

test("a driver is killed only where it can be started again", () => {
  const killed = (startsDriver: boolean) =>
    proposals(run, { ...outline, startsDriver }, new Set(["crash"]))
      .map(({ perturbation }) => describePerturbation(perturbation))
      .filter((sentence) => sentence.startsWith("the driver is killed"));
  expect(killed(true)).toEqual([
    "the driver is killed after its work, and before its response, for the call CreateVolume for Volume v by op",
    "the driver is killed before it has seen the call CreateVolume for Volume v by op",
  ]);
  expect(killed(false)).toEqual([]);
});

describe("what is proposed", () => {
  test("crash: first at creates of generated names and at first writes, before only at the first of a group", () => {
    const crashes = proposed("crash");
    expect(crashes.filter((sentence) => sentence.endsWith("; the response is lost")).slice(0, 3)).toEqual([
      "op is killed after it created Pod default/w-*; the response is lost",
      "op is killed after it created Pod default/w-* (the 2nd time); the response is lost",
      "op is killed after it deleted Pod default/w-*; the response is lost",
    ]);
    const indexOf = (text: string): number => crashes.findIndex((sentence) => sentence.includes(text));
    expect(indexOf("after it created ConfigMap default/w;")).toBeLessThan(
      indexOf("after it patched status of Widget default/w;"),
    );
    expect(crashes).toContain(
      "op is killed while its delete of Pod default/w-* is on its way; the request is handled after the restart",
    );
    expect(crashes).toContain("op is killed before its create of Pod default/w-* is handled");
    expect(crashes).not.toContain("op is killed before its create of ConfigMap default/w is handled");
    expect(crashes).toContain(
      "op is killed after it created ConfigMap default/w; the response is lost, and stays down for 10m0s",
    );
  });

  test("crash: a long down time comes early where the user deletes next what the write is about", () => {
    const worth = (build: (builder: TraceBuilder) => TraceBuilder): number => {
      const builder = build(new TraceBuilder().step(0).news("create", { ...widget, spec: { size: 1 } }));
      const candidates = proposals(analyse(builder.trace), outline, new Set(["crash"] as const));
      return candidates.find(({ perturbation: p }) => p.type === "crash" && p.downMillis > 1000)!.worth;
    };
    const make = (builder: TraceBuilder) => builder.write("create", { kind: "ConfigMap", name: "w" });
    const deleted = worth((b) => make(b).step(1).news("delete", widget));
    const changed = worth((b) =>
      make(b)
        .step(1)
        .news("update", { ...widget, spec: { size: 2 } }),
    );
    expect(deleted).toBeGreaterThan(2 * changed);
  });

  test("answer-lost: first where a repeated create makes another object", () => {
    expect(proposed("answer-lost")[0]).toBe(
      "the create of Pod default/w-* by op is handled, and the connection breaks before its response",
    );
  });

  test("refused: conflicts of updates only, codes of gRPC for calls, and reads", () => {
    const refusals = proposed("refused");
    expect(refusals).toContain("the update of ConfigMap default/w by op is refused with 409 Conflict");
    expect(refusals).not.toContain("the create of ConfigMap default/w by op is refused with 409 Conflict");
    expect(refusals).toContain("the list of Pod default by op is refused with 500 Internal Server Error");
    expect(refusals).toContain("the call CreateVolume for Volume v by op is refused with DEADLINE_EXCEEDED");
    expect(refusals).toContain(
      "the update of ConfigMap default/w by op is refused with 500 Internal Server Error, as are the 11 that follow",
    );
  });

  test("slow: writes and reads", () => {
    expect(proposed("slow")).toEqual(
      expect.arrayContaining([
        "the response to the call CreateVolume for Volume v by op takes 20s",
        "the response to the list of Pod default by op takes 20s",
      ]),
    );
  });

  test("lag: first of what the program wrote itself and decides by", () => {
    expect(proposed("lag")[0]).toBe(
      "op sees the creation of Pod default/w-* and all later events of Pod only when all else is at rest",
    );
  });

  test("lag and gap: once for the same change, however often it is delivered", () => {
    const twice = new TraceBuilder().step(0).news("create", widget).deliver("op", 1);
    const types = proposals(analyse(twice.trace), outline, new Set(["lag", "gap"])).map(
      ({ perturbation: { type } }) => type,
    );
    expect(types).toEqual(["lag", "gap"]);
  });

  test("gap: more worth where it hides that the object is another one", () => {
    const worth = (uid: string): number => {
      const trace = new TraceBuilder()
        .news("create", { ...widget, uid: "one" })
        .news("update", { ...widget, uid }).trace;
      return Math.max(...proposals(analyse(trace), outline, new Set(["gap"])).map((candidate) => candidate.worth));
    };
    expect(worth("another")).toBeGreaterThan(worth("one"));
  });

  test("lag: also of an object that has come back, which is known to be gone", () => {
    expect(proposed("lag")).toContain(
      "op sees the 2nd creation of Widget default/w and all later events of Widget only when all else is at rest",
    );
  });

  test("gap: first over a deletion and a new object of the name", () => {
    expect(proposed("gap")[0]).toMatch(
      /^the watches of op for Widget stand still from the .* of Widget default\/w until step 4 is at rest, then end with 410/,
    );
  });

  test("stale-restart: first from before a change of what led to writes", () => {
    expect(proposed("stale-restart")[0]).toBe(
      "op is killed after it deleted Pod default/w-*, and when it starts again it first sees the state from before the deletion of Widget default/w",
    );
  });

  test("resync and bookmark: at deliveries that led to writes", () => {
    expect(proposed("resync")).toContain(
      "all watches of op end at the creation of Widget default/w, and are opened again",
    );
    expect(proposed("bookmark")).toContain("op gets a bookmark after the creation of Widget default/w");
  });

  test("lead-changes: only for programs that are elected", () => {
    expect(proposed("lead-changes")[0]).toBe(
      "a second replica of op takes over while the create of Pod default/w-* by the first one is on its way; the request is handled afterwards",
    );
    const alone = analyse(run.trace.filter(({ type }) => type !== "life"));
    expect(proposals(alone, outline, new Set(["lead-changes"]))).toEqual([]);
  });

  test("slow-webhooks, node-lost, clock-jump: for each program, node and step", () => {
    expect(proposed("slow-webhooks")).toEqual([
      "webhooks take 9s for each write of op",
      "webhooks take 29s for each write of op",
    ]);
    expect(proposed("node-lost")).toHaveLength(8);
    expect(proposed("node-lost")[0]).toBe("node node-1 is lost when step 1 begins, and comes back after 15m0s");
    expect(proposed("clock-jump")).toHaveLength(8);
    expect(proposed("clock-jump")[0]).toBe("the clock jumps by 1h0m0s after step 1");
  });

  test("repeated: calls only; overtaken: what another write follows", () => {
    expect(proposed("repeated")).toEqual(["the call CreateVolume for Volume v by op reaches the driver twice"]);
    const overtaken = proposed("overtaken");
    expect(overtaken).toContain(
      "the create of Pod default/w-* by op is held, and handled after its next request to the same receiver",
    );
    expect(overtaken.some((sentence) => sentence.includes("delete of Pod"))).toBe(false);
  });
});

test("a stale restart is never tried at the write that made the change, though its delivery stands before the response", () => {
  const builder = new TraceBuilder().step(0).news("create", widget);
  const [change, response, delivery] = new TraceBuilder()
    .change("user", "create", widget)
    .write("create", { kind: "ConfigMap", name: "w" })
    .trace.slice(1);
  for (const entry of [delivery!, change!, response!]) builder.add(entry);
  const sentences = (built: TraceBuilder) =>
    proposals(analyse(built.trace), outline, new Set(["stale-restart"])).map(({ perturbation }) =>
      describePerturbation(perturbation),
    );
  const own = "it first sees the state from before the creation of ConfigMap default/w";
  expect(sentences(builder).some((sentence) => sentence.endsWith(own))).toBe(false);
  builder.step(1).request("op", "get", { group: "", kind: "Widget", namespace: "default", name: "w" });
  expect(sentences(builder).filter((sentence) => sentence.endsWith(own))).toHaveLength(1);
});

test("each type is in the table with its source, and is described", () => {
  for (const type of perturbationTypes) {
    const rule = perturbationRules[type];
    expect(rule.type).toBe(type);
    expect(rule.permitted).toMatch(/\(.+\)/);
    expect(proposals(run, outline, new Set([type])).length).toBeGreaterThan(0);
  }
});

test("a count stands in words", () => {
  const at = { actor: "op", protocol: "api", verb: "update", group: "apps", kind: "Deployment", name: "d" } as const;
  expect(describePerturbation({ type: "answer-lost", at: { ...at, occurrence: 21 } })).toBe(
    "the 22nd update of Deployment.apps d by op is handled, and the connection breaks before its response",
  );
});
