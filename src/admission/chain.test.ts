import { expect, test } from "vitest";
import { Chain } from "./chain.ts";
import type { AdmissionStep } from "./contract.ts";
import { requestOf } from "./testing/requests.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const MAPS = { group: "", plural: "configmaps", kind: "ConfigMap" };
const OTHERS = { group: "example.com", plural: "pods", kind: "Pod" };

/** A chain of three steps that writes down who does what, and the requests of a resource. */
function noted(more: Partial<AdmissionStep> = {}) {
  const done: string[] = [];
  const step = (name: string, only: Partial<AdmissionStep> = {}): AdmissionStep => ({
    name,
    mutate: () => void done.push(`${name} mutates`),
    validate: () => void done.push(`${name} validates`),
    commit: () => Promise.resolve(void done.push(`${name} commits`)),
    rollback: () => Promise.resolve(void done.push(`${name} rolls back`)),
    ...only,
  });
  const chain = new Chain([step("first"), step("of pods", { resources: [PODS] }), step("last", more)]);
  return { chain, done };
}

test("a step is asked about the resources that it names, by group and plural, and one that names none about all", async () => {
  const { chain, done } = noted();
  for (const ref of [PODS, MAPS, OTHERS]) await chain.validate(requestOf({ ref }));
  const everywhere = ["first validates", "last validates"];
  expect(done).toEqual(["first validates", "of pods validates", "last validates", ...everywhere, ...everywhere]);
});

test("steps run in order, and a request waits only where one of them does", async () => {
  const { chain, done } = noted();
  expect(chain.mutate(requestOf({ ref: MAPS }))).toBeUndefined();
  const waiting = new Chain([
    { name: "slow", mutate: () => Promise.resolve(void done.push("slow mutates")) },
    { name: "fast", mutate: () => void done.push("fast mutates") },
  ]);
  await waiting.mutate(requestOf({ ref: MAPS }));
  expect(done).toEqual(["first mutates", "last mutates", "slow mutates", "fast mutates"]);
});

test("steps run once more, all of them, where one asks for it, and not a third time", async () => {
  const done: string[] = [];
  const chain = new Chain([
    { name: "first", mutate: ({ isReinvocation }) => void done.push(`first ${isReinvocation}`) },
    {
      name: "asks",
      mutate(request) {
        done.push("asks");
        request.reinvoke();
      },
    },
  ]);
  let isReinvocation = false;
  const request = requestOf({ ref: MAPS, reinvoke: () => void (isReinvocation = true) });
  Object.defineProperty(request, "isReinvocation", { get: () => isReinvocation });
  await chain.mutate(request);
  expect(done).toEqual(["first false", "asks", "first true", "asks"]);
});

test("what a step refuses to commit all steps roll back that concern the resource, the last one first", async () => {
  const { chain, done } = noted({ commit: () => Promise.reject(new Error("no")) });
  const commitment = chain.commitment(requestOf({ ref: PODS }))!;
  await expect(commitment.confirm()).rejects.toThrow("no");
  await commitment.release();
  const rolledBack = ["last rolls back", "of pods rolls back", "first rolls back"];
  expect(done).toEqual(["first commits", "of pods commits", ...rolledBack]);
});

test("all steps roll back that have to wait for it, also where the write has lost its lock", async () => {
  const done: string[] = [];
  const step = (name: string): AdmissionStep => ({
    name,
    rollback: () => Promise.resolve(void done.push(name)),
  });
  const hold = { signal: AbortSignal.abort(new Error("lost")) };
  await new Chain([step("first"), step("last")]).commitment(requestOf({ hold }))!.release();
  expect(done).toEqual(["last", "first"]);
});

test("the steps that concern the resource are notified of the end of an attempt", () => {
  const { chain, done } = noted({ end: () => void done.push("last ends") });
  chain.commitment(requestOf({ ref: PODS }))!.end();
  expect(done).toEqual(["last ends"]);
});

test("where no step has anything to commit there is nothing to do", () => {
  const chain = new Chain([{ name: "reads", validate: () => undefined }]);
  expect(chain.commitment(requestOf())).toBeUndefined();
});
