/** `keelson explore --csi ENDPOINT --driver COMMAND`, from end to end: our sidecars and the directory driver, which a plan kills. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { EXECUTABLE } from "../../serve/keelson.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-explored-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const SCENARIO = `
name: a claim
start:
  - apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata: { name: explored }
    provisioner: directory.csi.keelson
    reclaimPolicy: POLICY
steps:
  - create:
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: { name: a, namespace: default }
      spec: { accessModes: [ReadWriteOnce], storageClassName: explored, resources: { requests: { storage: 1Mi } } }
  - delete: { apiVersion: v1, kind: PersistentVolumeClaim, name: a }
`;

async function keelsonExplore(...args: readonly string[]) {
  const child = spawn(process.execPath, [EXECUTABLE, "explore", ...args], { cwd: home, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}

const endpoint = `unix://${join(home, "csi.sock")}`;
const driver = `${process.execPath} ${EXECUTABLE} driver --socket ${endpoint} --dir ${join(home, "dir")} --links`;
const aboutDriver = ["--csi", endpoint, "--driver", driver];

test("a driver that is ours to start is killed, and has no fault", { timeout: 240_000 }, async () => {
  writeFileSync(join(home, "claim.yaml"), SCENARIO.replace("POLICY", "Delete"));
  const { code, said } = await keelsonExplore(
    "claim.yaml",
    ...aboutDriver,
    ...`--only crash --plans 12 --budget 3m -o text -o json=${join(home, "report.json")}`.split(" "),
  );
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("0 faults") });
  expect(said).toContain("Not judged: the data of volumes: it cannot be read from outside.");
  const { coverage } = JSON.parse(readFileSync(join(home, "report.json"), "utf8")) as {
    readonly coverage: { readonly types: readonly { readonly planned: number; readonly met: number }[] };
  };
  // Two calls that change something: each may find its sidecar killed in four ways, and the driver in two.
  expect(coverage.types[0]!.planned).toBeGreaterThanOrEqual(12);
  expect(coverage.types[0]!.met).toBeGreaterThanOrEqual(8);
});

test(
  "a finding keeps how the driver is started, and is found again from another folder",
  { timeout: 240_000 },
  async () => {
    // A rule that does not hold is a fault of every run.
    const rule = `eventually:\n  - rule: there is no volume\n    for: { apiVersion: v1, kind: PersistentVolume }\n    expression: "false"\n`;
    writeFileSync(join(home, "never.yaml"), SCENARIO.replace("POLICY", "Retain") + rule);
    const limits = ["--only", "crash", "--plans", "1", "--budget", "3m", "--out", "found/here"];
    const { code, said } = await keelsonExplore("never.yaml", ...aboutDriver, ...limits);
    expect({ code, said }).toMatchObject({ code: 1, said: expect.stringContaining("there is no volume") });
    const [name] = readdirSync(join(home, "found/here"));
    const again = await keelsonExplore("--replay", `found/here/${name}`, "--trust");
    expect({ again }).toMatchObject({ again: { code: 1, said: expect.stringContaining("there is no volume") } });
  },
);
