import { describe, expect, test } from "vitest";
import { type ApiObject, type Client, type Kind, StatusError } from "../../client/index.ts";
import { ConfigMap, Pod } from "../../client/kinds/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { type Plan, creates, deletes, inSeries, patches, tells, updates } from "../../workloads/common/plan.ts";
import { perform, performFor, performed } from "./perform.ts";

const named = (name: string): never =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "n", uid: name } }) as never;
const TOLD = { done: "Done", refused: "Refused" };

/** The cause of refusals in a namespace that is being deleted. */
const ENDING = "NamespaceTerminating";
const statusOf = (reason: string): object =>
  reason === ENDING ? { reason: "Forbidden", details: { causes: [{ reason }] } } : { reason };

/** Performs plans on a server that refuses some names, and notes requests and Events in their order. */
function server(refused: Readonly<Record<string, string>> = {}) {
  const notes: string[] = [];
  const send = (verb: string, kind: Kind) => async (object: ApiObject) => {
    const { name } = object.metadata;
    notes.push(`${verb} ${kind.kind} ${name}`);
    const reason = refused[name];
    if (reason) throw new StatusError({ code: 403, ...statusOf(reason), message: `no ${name}` } as never);
    return object;
  };
  const resource = (kind: Kind) => ({
    create: send("create", kind),
    update: send("update", kind),
    delete: send("delete", kind),
  });
  const tell = (...[type, reason, note]: readonly string[]): void => void notes.push(`${type} ${reason}: ${note}`);
  return { notes, parts: { client: { resource } as unknown as Client, tell: tell as never } };
}

const of = (...stage: Plan["stages"][number]): Plan => ({ stages: [stage] });

describe("a series", () => {
  const series = inSeries(creates(ConfigMap, named("a")), creates(Pod, named("b"), TOLD), tells("Normal", "X", "y"));

  test("is done one after the other", async () => {
    const { notes, parts } = server();
    await perform(of(series), parts);
    expect(notes).toEqual(["create ConfigMap a", "create Pod b", "Normal Done: Created pod: b", "Normal X: y"]);
  });

  test("ends at the first refusal", async () => {
    const { notes, parts } = server({ a: "Forbidden" });
    await expect(perform(of(series), parts)).rejects.toThrow("no a");
    expect(notes).toEqual(["create ConfigMap a"]);
  });

  test("ends where an object had changed, and the plan is made again", async () => {
    const { notes, parts } = server({ a: "Conflict" });
    const done = await performed(of(inSeries(updates(Pod, named("a")), creates(Pod, named("b")))), parts);
    expect(notes).toEqual(["update Pod a"]);
    expect(done).toMatchObject({ isOvertaken: true, refusals: [] });
  });

  test("WL-GEN-5: counts as a create: others follow in batches, unless it is refused", async () => {
    const { notes, parts } = server({ "0b": "Forbidden" });
    const all = [0, 1, 2].map((i) => inSeries(creates(ConfigMap, named(`${i}a`)), creates(Pod, named(`${i}b`))));
    await performed(of(...all), parts);
    expect(notes).toEqual(["create ConfigMap 0a", "create Pod 0b"]);
  });
});

describe("WL-GEN-7: Events", () => {
  test("have the texts of the plan", async () => {
    const { notes, parts } = server({ b: "Forbidden" });
    const told = { ...TOLD, doneNote: "it is done", refusedNote: "it failed: " };
    await performed(
      of(updates(Pod, named("a"), told), updates(Pod, named("b"), told), deletes(Pod, named("c"), TOLD)),
      parts,
    );
    expect(notes.filter((note) => note.includes(":"))).toEqual([
      "Normal Done: it is done",
      "Warning Refused: it failed: no b",
      "Normal Done: Deleted pod: c",
    ]);
  });

  test("are left out for some reasons", async () => {
    const { notes, parts } = server({ a: "AlreadyExists", b: "Forbidden" });
    const told = { ...TOLD, untold: ["AlreadyExists"] };
    await performed(of(creates(Pod, named("a"), told)), parts);
    await performed(of(creates(Pod, named("b"), told)), parts);
    expect(notes).toEqual(["create Pod a", "create Pod b", "Warning Refused: Error creating: no b"]);
  });
});

test("WL-GEN-4: an obstacle is an error after all writes", async () => {
  const { notes, parts } = server();
  const plan: Plan = { ...of(creates(Pod, named("a"))), obstacle: "something is in the way" };
  await expect(perform(plan, parts)).rejects.toThrow("something is in the way");
  expect(notes).toEqual(["create Pod a"]);
});

describe("stages", () => {
  const plan: Plan = {
    stages: [
      [updates(Pod, named("a"))],
      [updates(Pod, named("b")), creates(Pod, named("c")), deletes(Pod, named("d"))],
      [tells("Normal", "Told", "all is done")],
    ],
    afterwards: (refusals, isIncomplete) => [tells("Normal", "After", `${refusals.length} ${isIncomplete}`)],
  };

  test("WL-GEN-4: after a refusal none begins, what comes afterwards is written, and the refusal is the error", async () => {
    const { notes, parts } = server({ a: "Forbidden" });
    await expect(perform(plan, parts)).rejects.toThrow("no a");
    expect(notes).toEqual(["update Pod a", "Normal After: 1 false"]);
  });

  test.each(["Conflict", "NotFound"])("after %s none begins, and the plan is made again soon", async (reason) => {
    const { notes, parts } = server({ a: reason });
    expect(await perform({ ...plan, obstacle: "something is in the way" }, parts)).toEqual(REQUEUE_SOON);
    expect(notes).toEqual(["update Pod a", "Normal After: 0 true"]);
  });

  test("in a namespace that is being deleted a create is no failure, and none follows", async () => {
    const { notes, parts } = server({ a: ENDING });
    const { afterwards } = plan;
    const stage = ["a", "b", "c"].map((name) => creates(Pod, named(name), TOLD));
    expect(await perform({ stages: [stage], ...(afterwards ? { afterwards } : {}) }, parts)).toBeUndefined();
    expect(notes).toEqual(["create Pod a", "Normal After: 0 true"]);
  });
});

test("WL-GEN-5: creates are sent in batches of 1, 2, 4 and so on, at most 64", async () => {
  const batches: number[] = [];
  let sent = 0;
  const create = async (object: ApiObject): Promise<ApiObject> => {
    sent++;
    await new Promise<void>((resolve) => setImmediate(resolve));
    // All of a batch are sent before the first of them is answered.
    if (sent > 0) batches.push(sent);
    sent = 0;
    return object;
  };
  const client = { resource: () => ({ create }) } as unknown as Client;
  const many = Array.from({ length: 300 }, (_, i) => creates(Pod, named(`${i}`)));
  await perform(of(...many), { client, tell: () => {} });
  expect(batches).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64, 45]);
});

test("a patch is for the object of the uid alone", async () => {
  const sent: unknown[] = [];
  const patch = async (...all: unknown[]): Promise<unknown> => {
    sent.push(...all);
    return named("a");
  };
  const client = { resource: () => ({ patch }) } as unknown as Client;
  const labels = { x: "y" };
  await perform(of(patches(Pod, named("a"), { metadata: { labels } })), { client, tell: () => {} });
  expect(sent).toEqual([{ namespace: "n", name: "a" }, { metadata: { labels, uid: "a" } }]);
});

test("WL-GEN-1: a plan that takes objects over is performed only while the owner may do so", async () => {
  const { notes, parts } = server();
  const ctx = { client: parts.client, events: {} as never };
  const plan: Plan = { ...of(updates(Pod, named("a"))), adopts: true };
  expect(await performFor(ctx, plan, () => Promise.resolve(false))).toEqual(REQUEUE_SOON);
  expect(notes).toEqual([]);
  expect(await performFor(ctx, plan, () => Promise.resolve(true))).toBeUndefined();
  expect(notes).toEqual(["update Pod a"]);
});
