/**
 * A driver behind a socket with our sidecars: `keelson explore --csi unix:///...`, for the directory driver of this project.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RequestPoint } from "../../../src/explore/contract/plan.ts";
import { EXECUTABLE } from "../../serve/keelson.ts";
import { openDriverLaboratory } from "../../../src/testing/explore/csi/index.ts";
import type { CsiLaboratory } from "../../../src/testing/explore/csi/laboratory.ts";

const at: RequestPoint = {
  actor: "provisioner",
  protocol: "csi",
  verb: "CreateVolume",
  group: "csi",
  kind: "Volume",
  name: "pvc-*",
  occurrence: 0,
};

let home: string;
let laboratory: CsiLaboratory | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-explored-"));
});
afterEach(async () => {
  await laboratory?.[Symbol.asyncDispose]();
  laboratory = undefined;
  rmSync(home, { recursive: true, force: true });
});

describe("the directory driver", () => {
  const open = () => {
    const endpoint = `unix://${join(home, "csi.sock")}`;
    const driver = [
      process.execPath,
      EXECUTABLE,
      "driver",
      "--socket",
      endpoint,
      "--dir",
      join(home, "dir"),
      "--links",
    ] as const;
    return openDriverLaboratory({ endpoint, driver, env: process.env });
  };

  test("is clean in the default scenario, also where it is killed after its work", { timeout: 240_000 }, async () => {
    laboratory = await open();
    const clean = await laboratory.run({ seed: 1, plan: [] });
    expect([clean.complaints, clean.states.at(-1)!.state.driver]).toEqual([[], []]);
    const calls = clean.trace.flatMap((one) => (one.type === "request" && one.protocol === "csi" ? [one.verb] : []));
    expect(calls).toContain("CreateVolume");
    expect(calls).toContain("CreateSnapshot");
    const killed = await laboratory.run({
      seed: 1,
      plan: [{ type: "crash", at, when: "after", downMillis: 1000, victim: "driver" }],
    });
    expect([killed.complaints, killed.states.at(-1)!.state.driver, killed.met]).toEqual([[], [], [true]]);
    const codes = killed.trace.flatMap((one) =>
      one.type === "request" && one.verb === "CreateVolume" ? [one.code] : [],
    );
    expect(codes[0]).toBeUndefined();
    expect(codes).toContain(0);
  });
});

test("a driver that ends at once is an error with what it printed", { timeout: 60_000 }, async () => {
  const driver = [process.execPath, "-e", "console.error('no disk'); process.exit(1)"] as const;
  const endpoint = `unix://${join(home, "csi.sock")}`;
  await expect(openDriverLaboratory({ endpoint, driver, env: process.env })).rejects.toThrow(/it has ended\nno disk/);
  expect(readdirSync(home)).toEqual([]);
});

test("programs that do not name the socket of the driver are refused", { timeout: 60_000 }, async () => {
  await expect(
    openDriverLaboratory({
      endpoint: `unix://${join(home, "csi.sock")}`,
      programs: [{ name: "a", command: ["a", "--kubeconfig={}"] }],
      env: {},
    }),
  ).rejects.toThrow("expected a command with {csi}");
});
