import { beforeEach, describe, expect, test } from "vitest";
import type { DriverObject, StoredObject } from "../../../explore/contract/state.ts";
import { DriverJudge } from "./driver-judge.ts";

const DRIVER = "d.example.com";
let judge: DriverJudge;
beforeEach(() => {
  judge = new DriverJudge(DRIVER);
});

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: { readonly [member: string]: unknown },
): StoredObject => {
  const { namespace, deletionTimestamp, ...rest } = more;
  const metadata = {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: "1",
    ...(namespace ? { namespace } : {}),
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  };
  return { apiVersion, kind, metadata, ...rest } as unknown as StoredObject;
};
const claim = (
  name: string,
  more: { readonly volume?: string; readonly from?: object; readonly isGoing?: boolean } = {},
) =>
  object("v1", "PersistentVolumeClaim", name, {
    namespace: "default",
    spec: { volumeName: more.volume ?? `pv-${name}`, ...(more.from ? { dataSource: more.from } : {}) },
    status: { phase: "Bound" },
    ...(more.isGoing ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  });
const volume = (
  name: string,
  id: string,
  more: { readonly policy?: string; readonly driver?: string; readonly isGoing?: boolean } = {},
) =>
  object("v1", "PersistentVolume", `pv-${name}`, {
    spec: {
      csi: { driver: more.driver ?? DRIVER, volumeHandle: id },
      persistentVolumeReclaimPolicy: more.policy ?? "Delete",
      claimRef: { namespace: "default", name, uid: `uid-of-${name}` },
    },
    ...(more.isGoing ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  });
const snapshot = (name: string) =>
  object("snapshot.storage.k8s.io/v1", "VolumeSnapshot", name, {
    namespace: "default",
    spec: {},
    status: { boundVolumeSnapshotContentName: `content-${name}` },
  });
const content = (name: string, id: string, deletionPolicy = "Delete") =>
  object("snapshot.storage.k8s.io/v1", "VolumeSnapshotContent", `content-${name}`, {
    spec: { driver: DRIVER, deletionPolicy, volumeSnapshotRef: { namespace: "default", name } },
    status: { snapshotHandle: id },
  });
const disk = (id: string, name = id, data?: string): DriverObject => ({
  kind: "Volume",
  id,
  name,
  ...(data === undefined ? {} : { data }),
});
const picture = (id: string, name = id, data?: string): DriverObject => ({
  kind: "Snapshot",
  id,
  name,
  ...(data === undefined ? {} : { data }),
});

const ended = (stored: readonly StoredObject[], has: readonly DriverObject[]) => {
  judge.end(stored, has);
  return judge.complaints;
};
const judged = (stored: readonly StoredObject[], has: readonly DriverObject[]) => {
  judge.look(stored, has);
  return ended(stored, has);
};
const types = (...of: Parameters<typeof judged>) => judged(...of).map(({ type }) => type);

describe("accuses", () => {
  test("a volume that no PersistentVolume names, and one that only that of another driver does", () => {
    expect(judged([], [disk("v1", "pvc-1")])).toEqual([
      {
        type: "leaked",
        object: { group: "csi", kind: "Volume", name: "pvc-1" },
        detail: "the driver has volume pvc-1, and no PersistentVolume names it",
      },
    ]);
    expect(types([claim("a"), volume("a", "v1", { driver: "other.example.com" })], [disk("v1")])).toEqual(["leaked"]);
  });

  test("a snapshot that no content names", () => {
    expect(judged([snapshot("s")], [picture("s1", "snapshot-1")])).toMatchObject([
      { type: "leaked", object: { kind: "Snapshot", name: "snapshot-1" } },
    ]);
  });

  test("two volumes of one requested name, also where one of them is gone in the end", () => {
    const stored = [claim("a"), volume("a", "v1")];
    judge.look(stored, [disk("v1", "pvc-a"), disk("v2", "pvc-a")]);
    expect(ended(stored, [disk("v1", "pvc-a")])).toMatchObject([
      { type: "made-twice", object: { kind: "Volume", name: "pvc-a" } },
    ]);
  });

  test("the loss of a volume and of a snapshot that are in use, whenever it is seen", () => {
    const stored = [claim("a"), volume("a", "v1"), snapshot("s"), content("s", "s1")];
    judge.look(stored, []);
    expect(ended([], [])).toMatchObject([
      { type: "deleted-in-use", object: { kind: "PersistentVolume", name: "pv-a" } },
      {
        type: "deleted-in-use",
        object: { group: "snapshot.storage.k8s.io", kind: "VolumeSnapshotContent", name: "content-s" },
      },
    ]);
  });

  test("data that changed by itself", () => {
    const stored = [claim("a"), volume("a", "v1")];
    judge.look(stored, [disk("v1", "a", "")]);
    judge.wrote("v1", "written by default/a");
    judge.look(stored, [disk("v1", "a", "written by default/a")]);
    expect(judge.complaints).toEqual([]);
    judge.look(stored, [disk("v1", "a", "")]);
    expect(ended(stored, [disk("v1", "a", "")])).toMatchObject([
      { type: "data-lost", detail: "expected the data that was written by default/a, found nothing" },
    ]);
  });

  test.each([
    ["a snapshot", { kind: "VolumeSnapshot", name: "s" }],
    ["a claim", { kind: "PersistentVolumeClaim", name: "a" }],
  ])("a volume that was made of %s without its data", (_, from) => {
    const before = [claim("a"), volume("a", "v1")];
    judge.wrote("v1", "x");
    judge.look(before, [disk("v1", "a", "x")]);
    const taken = [...before, snapshot("s"), content("s", "s1")];
    judge.look(taken, [disk("v1", "a", "x"), picture("s1", "s", "x")]);
    const stored = [...taken, claim("b", { from }), volume("b", "v2")];
    const has = (data: string) => [disk("v1", "a", "x"), picture("s1", "s", "x"), disk("v2", "b", data)];
    judge.look(stored, has("x"));
    expect(ended(stored, has("x"))).toEqual([]);
    judge = new DriverJudge(DRIVER);
    judge.wrote("v1", "x");
    judge.look(taken, has("x").slice(0, 2));
    judge.look(stored, has(""));
    expect(ended(stored, has(""))).toMatchObject([{ type: "data-lost" }]);
  });
});

describe("does not accuse", () => {
  test("one volume and one snapshot for each object", () => {
    expect(
      types([claim("a"), volume("a", "v1"), snapshot("s"), content("s", "s1")], [disk("v1"), picture("s1")]),
    ).toEqual([]);
  });

  test("objects of other drivers", () => {
    expect(types([claim("a"), volume("a", "v1", { driver: "other.example.com" })], [])).toEqual([]);
  });

  test("what a user keeps: the policy of its object, which was deleted, retains it", () => {
    judge.deleted(volume("a", "v1", { policy: "Retain" }));
    judge.deleted(content("s", "s1", "Retain"));
    expect(types([], [disk("v1"), picture("s1")])).toEqual([]);
    judge.deleted(volume("b", "v2"));
    expect(types([], [disk("v1"), picture("s1"), disk("v2")])).toEqual(["leaked"]);
  });

  test("a volume that goes: its claim or its object is being deleted, or its claim is gone", () => {
    expect(types([claim("a", { isGoing: true }), volume("a", "v1")], [])).toEqual([]);
    expect(types([claim("a"), volume("a", "v1", { isGoing: true })], [])).toEqual([]);
    expect(types([volume("a", "v1")], [])).toEqual([]);
  });

  test("new data of an ID that is used again", () => {
    const stored = [claim("a"), volume("a", "v1")];
    judge.wrote("v1", "x");
    judge.look(stored, [disk("v1", "a", "x")]);
    judge.look([], []);
    judge.look(stored, [disk("v1", "a", "")]);
    expect(ended(stored, [disk("v1", "a", "")])).toEqual([]);
  });

  test("data where the driver does not show it", () => {
    judge.wrote("v1", "x");
    expect(types([claim("a"), volume("a", "v1")], [disk("v1")])).toEqual([]);
  });
});
