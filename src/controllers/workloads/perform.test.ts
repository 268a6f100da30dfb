import { describe, expect, test } from "vitest";
import { type ApiObject, type Client, type Kind, StatusError } from "../../client/index.ts";
import { ConfigMap, Pod } from "../../client/kinds/index.ts";
import { type Plan, creates, deletes, inSeries, tells, updates } from "../../workloads/common/plan.ts";
import { perform, performed } from "./perform.ts";

const named = (name: string): never =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "n", uid: name } }) as never;
const TOLD = { done: "Done", refused: "Refused" };

/** Performs plans on a server that refuses some names, and notes requests and Events in their order. */
function server(refused: Readonly<Record<string, string>> = {}) {
  const notes: string[] = [];
  const send = (verb: string, kind: Kind) => async (object: ApiObject) => {
    const { name } = object.metadata;
    notes.push(`${verb} ${kind.kind} ${name}`);
    const reason = refused[name];
    if (reason) throw new StatusError({ code: 403, reason, message: `no ${name}` } as never);
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
