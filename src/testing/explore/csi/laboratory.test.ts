import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunRecord } from "../../../explore/contract/laboratory.ts";
import type { Perturbation, Plan, RequestPoint } from "../../../explore/contract/plan.ts";
import type { RequestEntry } from "../../../explore/contract/trace.ts";
import { CsiLaboratory } from "./laboratory.ts";
import { MemoryDriver, type MemorySnapshot, type MemoryStorage, type MemoryVolume } from "./testing/memory-driver.ts";
import { memorySource } from "./testing/memory-source.ts";

type Asked = Parameters<MemoryDriver["createVolume"]>[0];

const open = (Made: new (name: string, storage: MemoryStorage) => MemoryDriver) =>
  CsiLaboratory.of({ source: memorySource((storage) => new Made("memory.csi.example", storage)) });

let laboratory: CsiLaboratory;
beforeAll(async () => {
  laboratory = await open(MemoryDriver);
});
afterAll(() => laboratory[Symbol.asyncDispose]());

const at = (verb: string, more: Partial<RequestPoint> = {}): RequestPoint => ({
  actor: "provisioner",
  protocol: "csi",
  verb,
  group: "csi",
  kind: "Volume",
  name: "pvc-*",
  occurrence: 0,
  ...more,
});
const run = (plan: Plan, steps?: readonly number[]) => laboratory.run({ seed: 1, plan, ...(steps ? { steps } : {}) });
const calls = ({ trace }: RunRecord, actor = "provisioner") =>
  trace
    .filter((one): one is RequestEntry => one.type === "request" && one.protocol === "csi" && one.actor === actor)
    .map(({ verb, code, life, perturbation }) => [verb, code, life, perturbation]);
const kinds = ({ complaints }: RunRecord) => complaints.map(({ type }) => type);
/** What is left in the end beside the node, which always beats, and the class that the user has made. */
const left = ({ states }: RunRecord) => {
  const { objects, driver } = states.at(-1)!.state;
  return [
    ...objects.filter(({ kind }) => !["Node", "VolumeSnapshotClass"].includes(kind)).map(({ kind }) => kind),
    ...driver!.map(({ kind }) => kind),
  ];
};
const expectClean = (record: RunRecord, met = true) => {
  expect([record.complaints, left(record), record.restlessWrites]).toEqual([[], [], 0]);
  expect(record.met.every(Boolean)).toBe(met);
};
/** One claim that is made and deleted. */
const BRIEF = [9, 10];

describe("the default scenario", { timeout: 120_000 }, () => {
  test("is clean on a driver in memory, and uses all that the driver can", async () => {
    const record = await run([]);
    expectClean(record);
    const made = record.trace.flatMap((one) =>
      one.type === "request" && one.protocol === "csi" ? [`${one.actor} ${one.verb}`] : [],
    );
    expect(new Set(made)).toEqual(
      new Set([
        "provisioner CreateVolume",
        "attacher ControllerPublishVolume",
        "resizer ControllerExpandVolume",
        "snapshotter CreateSnapshot",
        "attacher ControllerUnpublishVolume",
        "snapshotter DeleteSnapshot",
        "provisioner DeleteVolume",
      ]),
    );
    const names = laboratory.scenario.steps;
    const after = (name: string) => record.states.find(({ step }) => names[step] === name)!.state;
    const pod = after("use it in Pod app").objects.find(({ kind }) => kind === "Pod")!;
    expect((pod["status"] as { phase: string }).phase).toBe("Running");
    const data = "written by default/data";
    expect(after("restore it to claim restored").driver).toMatchObject([
      { kind: "Volume", data },
      { kind: "Volume", data },
      { kind: "Snapshot", data },
    ]);
  });

  test("is the same twice, and another one with another seed", async () => {
    const [first, second] = [await run([], BRIEF), await run([], BRIEF)];
    const other = await laboratory.run({ seed: 2, plan: [], steps: BRIEF });
    expect(JSON.stringify(second.trace)).toBe(JSON.stringify(first.trace));
    expect(JSON.stringify(other.trace)).not.toBe(JSON.stringify(first.trace));
    expectClean(other);
  });

  test("of a driver that takes no snapshots has none", async () => {
    const source = memorySource((storage) => {
      const driver = new MemoryDriver("memory.csi.example", storage);
      const { name, abilities, calls: own } = driver.inProcess;
      const fewer = new Set([...abilities].filter((one) => !one.includes("SNAPSHOT")));
      return Object.defineProperty(driver, "inProcess", { value: { name, abilities: fewer, calls: own } });
    });
    await using without = await CsiLaboratory.of({ source });
    expect(without.scenario.steps.filter((name) => name.includes("snapshot"))).toEqual([]);
    expectClean(await without.run({ seed: 1, plan: [] }));
  });
});

describe("a plan", { timeout: 120_000 }, () => {
  test.each(["before", "after"] as const)(
    "kills a sidecar %s the work of the driver; the next one goes on",
    async (when) => {
      const record = await run([{ type: "crash", at: at("CreateVolume"), when, downMillis: 1000 }], BRIEF);
      expectClean(record);
      expect(calls(record).slice(0, 2)).toEqual([
        ["CreateVolume", undefined, 0, 0],
        ["CreateVolume", 0, 1, undefined],
      ]);
      expect(record.trace.filter((one) => one.type === "life" && one.event === "killed")).toMatchObject([
        { actor: "provisioner", life: 0 },
      ]);
    },
  );

  test("kills a sidecar while its call is on its way: the driver does one thing at a time", async () => {
    const record = await run([{ type: "crash", at: at("CreateVolume"), when: "late", downMillis: 1000 }], BRIEF);
    expectClean(record);
    const codes = calls(record).map(([verb, code]) => `${verb} ${code}`);
    expect(codes.slice(0, 2)).toEqual(["CreateVolume undefined", "CreateVolume 10"]);
    expect(codes.slice(-2)).toEqual(["CreateVolume 0", "DeleteVolume 0"]);
  });

  test("makes a response so slow that the sidecar gives up, and calls again", async () => {
    const record = await run([{ type: "slow", at: at("CreateVolume"), byMillis: 15_000 }], BRIEF);
    expectClean(record);
    const entries = record.trace.filter((one) => one.type === "request" && one.protocol === "csi");
    expect(entries).toMatchObject([
      { verb: "CreateVolume", changed: true, perturbation: 0 },
      { verb: "CreateVolume", changed: false, code: 0 },
      { verb: "DeleteVolume" },
    ]);
    expect(entries[0]).not.toHaveProperty("code");
    expect(entries[0]!.at).toBeLessThan(15_000);
  });

  test.each<[string, Perturbation, number | undefined]>([
    ["loses a response", { type: "answer-lost", at: at("CreateVolume") }, undefined],
    ["refuses a call", { type: "refused", at: at("CreateVolume"), with: "unavailable", times: 1 }, 14],
    [
      "lets a call time out after its work",
      { type: "refused", at: at("CreateVolume"), with: "deadline-exceeded", times: 1 },
      4,
    ],
    [
      "kills the driver after its work",
      { type: "crash", at: at("CreateVolume"), when: "after", downMillis: 3000, victim: "driver" },
      undefined,
    ],
  ])("%s; the sidecar calls again", async (_, perturbation, code) => {
    const record = await run([perturbation], BRIEF);
    expectClean(record);
    expect(calls(record)[0]).toEqual(["CreateVolume", code, 0, 0]);
    expect(
      calls(record)
        .slice(-2)
        .map(([verb, last]) => [verb, last]),
    ).toEqual([
      ["CreateVolume", 0],
      ["DeleteVolume", 0],
    ]);
  });

  test("keeps the driver down for a time", async () => {
    const record = await run(
      [{ type: "crash", at: at("CreateVolume"), when: "before", downMillis: 2500, victim: "driver" }],
      BRIEF,
    );
    expectClean(record);
    const [first, ...others] = record.trace.filter(
      (one): one is RequestEntry => one.type === "request" && one.protocol === "csi",
    );
    expect(first).not.toHaveProperty("code");
    expect(others.length).toBeGreaterThan(2);
    for (const one of others) expect([one.at, one.code]).toEqual([one.at, one.at < 2500 ? 14 : 0]);
  });

  test("sends a call twice, and lets a call wait", async () => {
    const twice = await run([{ type: "repeated", at: at("CreateVolume") }], BRIEF);
    const waiting = await run([{ type: "overtaken", at: at("CreateVolume") }], BRIEF);
    expectClean(twice);
    expectClean(waiting);
  });

  test("meets calls and requests of the API; what does not come is not met", async () => {
    const created = { ...at("create"), protocol: "api", group: "", kind: "PersistentVolume" } as const;
    const plan: Plan = [
      { type: "answer-lost", at: created },
      { type: "answer-lost", at: at("CreateVolume") },
      { type: "answer-lost", at: at("CreateVolume", { occurrence: 50 }) },
    ];
    const record = await run(plan, BRIEF);
    expectClean(record, false);
    expect(record.met).toEqual([true, true, false]);
  });

  test("kills the provisioner for so long that the claim is deleted meanwhile: ours leaves nothing", async () => {
    const record = await run([{ type: "crash", at: at("CreateVolume"), when: "after", downMillis: 400_000 }], BRIEF);
    expectClean(record);
    expect(calls(record).map(([verb, , life]) => [verb, life])).toEqual([
      ["CreateVolume", 0],
      ["CreateVolume", 1],
      ["DeleteVolume", 1],
    ]);
  });
});

describe("a driver with a fault", { timeout: 120_000 }, () => {
  /** Makes a volume for each call. */
  class NotIdempotent extends MemoryDriver {
    override createVolume(request: Asked): MemoryVolume {
      return this.makeVolume(request);
    }
  }
  /** Responds to a repeated call as it should, and leaves something each time. */
  class LeaksOnRepeat extends MemoryDriver {
    override createVolume(request: Asked): MemoryVolume {
      const known = [...this.storage.volumes.values()].some(({ name }) => name === request.name);
      if (known) this.makeVolume({ ...request, name: `scratch of ${request.name}` });
      return super.createVolume(request);
    }
  }
  /** Knows what it was asked for only as long as it runs. */
  class Forgets extends MemoryDriver {
    readonly #made = new Map<string, MemoryVolume>();
    override createVolume(request: Asked): MemoryVolume {
      const known = this.#made.get(request.name!);
      if (known && this.storage.volumes.has(known.id)) return known;
      const made = this.makeVolume(request);
      this.#made.set(request.name!, made);
      return made;
    }
  }
  /** Takes a snapshot for each call. */
  class TwoSnapshots extends MemoryDriver {
    override createSnapshot({ name = "", sourceVolumeId = "" }: Asked): MemorySnapshot {
      const { bytes, data } = this.volume(sourceVolumeId);
      const made = { id: this.storage.id("snap"), name, volumeId: sourceVolumeId, bytes, data };
      this.storage.snapshots.set(made.id, made);
      return made;
    }
  }
  /** Deletes another volume where the one that is to be deleted is gone already. */
  class DeletesAnother extends MemoryDriver {
    override deleteVolume(request: Asked): object {
      const { volumes } = this.storage;
      if (!volumes.has(request.volumeId!)) volumes.delete([...volumes.keys()][0] ?? "");
      return super.deleteVolume(request);
    }
  }
  /** Formats a volume that is enlarged a second time. */
  class Formats extends MemoryDriver {
    override expand(request: Asked) {
      const volume = this.volume(request.volumeId);
      if (request.capacityRange!.requiredBytes! <= volume.bytes) volume.data = "";
      return super.expand(request);
    }
  }
  const expansion = at("ControllerExpandVolume", { actor: "resizer" });
  const picture = at("CreateSnapshot", { actor: "snapshotter", kind: "Snapshot", name: "snapshot-*" });

  test.each<[string, typeof MemoryDriver, Perturbation, readonly number[], readonly string[]]>([
    ["makes two volumes", NotIdempotent, { type: "repeated", at: at("CreateVolume") }, BRIEF, ["leaked", "made-twice"]],
    [
      "makes two volumes",
      NotIdempotent,
      { type: "answer-lost", at: at("CreateVolume") },
      BRIEF,
      ["leaked", "made-twice"],
    ],
    ["leaves something", LeaksOnRepeat, { type: "repeated", at: at("CreateVolume") }, BRIEF, ["leaked"]],
    [
      "forgets",
      Forgets,
      { type: "crash", at: at("CreateVolume"), when: "after", downMillis: 1000, victim: "driver" },
      BRIEF,
      ["leaked", "made-twice"],
    ],
    [
      "takes two snapshots",
      TwoSnapshots,
      { type: "crash", at: picture, when: "after", downMillis: 1000 },
      [0, 3],
      ["leaked", "made-twice"],
    ],
    [
      "deletes another",
      DeletesAnother,
      { type: "repeated", at: at("DeleteVolume") },
      [0, ...BRIEF],
      ["deleted-in-use"],
    ],
    ["formats", Formats, { type: "answer-lost", at: expansion }, [0, 2], ["data-lost"]],
  ])("that %s is found, and the mended one is not accused", async (_, Made, perturbation, steps, found) => {
    await using faulty = await open(Made);
    expect(kinds(await faulty.run({ seed: 1, plan: [], steps }))).toEqual([]);
    const record = await faulty.run({ seed: 1, plan: [perturbation], steps });
    expect(record.met).toEqual([true]);
    expect([...new Set(kinds(record))].toSorted()).toEqual(found);
    expect(kinds(await run([perturbation], steps))).toEqual([]);
  });
});
