/**
 * Sidecars of Kubernetes as programs: `keelson explore --csi unix:///... -- csi-provisioner --csi-address={csi} --kubeconfig={}`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveDriver, type SocketServer } from "../../../src/csi/serve.ts";
import type { RequestPoint } from "../../../src/explore/contract/plan.ts";
import type { RequestEntry } from "../../../src/explore/contract/trace.ts";
import { explore } from "../../../src/explore/index.ts";
import { makeJudge } from "../../../src/explore/judge/index.ts";
import { dialectOf } from "../../../src/meta/dialect.ts";
import { defaultScenario } from "../../../src/testing/explore/csi/default-scenario.ts";
import { LONG } from "../../../src/util/testing/amount.ts";
import { CsiLaboratory } from "../../../src/testing/explore/csi/laboratory.ts";
import { MemoryDriver } from "../../../src/testing/explore/csi/testing/memory-driver.ts";
import { externalSource } from "../../../src/testing/explore/csi/subject.ts";
import { systemClock } from "../../../src/util/clock.ts";
import { PROVISIONER } from "./provisioner.ts";
import { built } from "../../clients/built.ts";

const clock = systemClock;
const bin = await built(PROVISIONER);
/** One claim that is made and deleted. */
const BRIEF = [9, 10];
const at: RequestPoint = {
  actor: "provisioner",
  protocol: "csi",
  verb: "CreateVolume",
  group: "csi",
  kind: "Volume",
  name: "pvc-*",
  occurrence: 0,
};

const command = [
  join(bin ?? "", "csi-provisioner"),
  "--csi-address={csi}",
  "--kubeconfig={}",
  "--retry-interval-start=100ms",
] as const;
const commands = { programs: [{ name: "provisioner", command }], env: process.env };

describe.runIf(bin !== undefined)("external-provisioner", () => {
  let home: string;
  let server: SocketServer;
  let memory: MemoryDriver;
  let laboratory: CsiLaboratory;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "keelson-programs-"));
    memory = new MemoryDriver();
    server = await serveDriver(join(home, "driver.sock"), memory.services, { clock, graceMs: 100 });
    const source = await externalSource({ endpoint: `unix://${server.socket}`, clock });
    laboratory = await CsiLaboratory.of({ source, commands });
  });
  afterAll(async () => {
    await laboratory[Symbol.asyncDispose]();
    await server.close();
    rmSync(home, { recursive: true });
  });

  const calls = (trace: readonly { readonly type: string }[]) =>
    (trace as readonly RequestEntry[]).filter(
      (one) => one.type === "request" && one.protocol === "csi" && one.object.kind === "Volume",
    );

  test("is clean without a plan, and its calls are in the trace", { timeout: 120_000 }, async () => {
    const record = await laboratory.run({ seed: 1, plan: [], steps: BRIEF });
    expect(record.complaints).toEqual([]);
    const [first, ...deletions] = calls(record.trace);
    expect(first).toMatchObject({ actor: "provisioner", verb: "CreateVolume", code: 0, life: 0 });
    // It sometimes deletes a volume twice, which does no harm.
    expect(new Set(deletions.map(({ verb, code }) => `${verb} ${code}`))).toEqual(new Set(["DeleteVolume 0"]));
    expect(record.states.map(({ state }) => state.driver!.length)).toEqual([1, 0, 0]);
  });

  test("goes on after it was killed in the midst of a call", { timeout: 120_000 }, async () => {
    const record = await laboratory.run({
      seed: 1,
      plan: [{ type: "crash", at, when: "after", downMillis: 100 }],
      steps: BRIEF,
    });
    expect([record.complaints, record.met]).toEqual([[], [true]]);
    const found = calls(record.trace).map(({ verb, code, life }) => [verb, code, life]);
    expect(found.slice(0, 3)).toEqual([
      ["CreateVolume", undefined, 0],
      ["CreateVolume", 0, 1],
      ["DeleteVolume", 0, 1],
    ]);
  });

  test(
    "leaves a volume where it is killed and the claim is deleted before it runs again, and the next run begins without",
    { timeout: 120_000 },
    async () => {
      const hasty = [11];
      const record = await laboratory.run({
        seed: 1,
        plan: [{ type: "crash", at, when: "after", downMillis: 500 }],
        steps: hasty,
      });
      expect(record.complaints).toMatchObject([{ type: "leaked", object: { group: "csi", kind: "Volume" } }]);
      expect(memory.storage.objects()).toEqual([]);
    },
  );
});

/** The claim that is deleted while its volume is made. */
describe.runIf(bin !== undefined && LONG)("exploring the external-provisioner", () => {
  test("finds the volume that it leaks", { timeout: 900_000 }, async () => {
    const home = mkdtempSync(join(tmpdir(), "keelson-leak-"));
    const memory = new MemoryDriver();
    const server = await serveDriver(join(home, "driver.sock"), memory.services, { clock, graceMs: 100 });
    const usual = defaultScenario(memory.inProcess, dialectOf("kubernetes")!);
    const hasty = { ...usual, steps: usual.steps.slice(-1) };
    const source = await externalSource({ endpoint: `unix://${server.socket}`, clock });
    const laboratory = await CsiLaboratory.of({ source, scenario: hasty, commands });
    const { findings } = await explore(laboratory, (clean) => makeJudge(clean, laboratory.ignored), {
      clock,
      origin: { scenario: { name: hasty.name }, versions: { keelson: "", node: "", platform: "" } },
      seed: 1,
      only: ["crash"],
      plans: 4,
    });
    await laboratory[Symbol.asyncDispose]();
    await server.close();
    rmSync(home, { recursive: true });
    const leaks = findings.filter(({ fault }) => fault.kind === "leaked" && fault.object?.kind === "Volume");
    expect(leaks.map(({ plan }) => plan.map(({ type }) => type))).toEqual([["crash"]]);
    expect(leaks[0]!.replayed.shown).toBeGreaterThanOrEqual(8);
  });
});
