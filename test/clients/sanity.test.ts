/**
 * The tests that Kubernetes publishes for storage drivers (csi-sanity of kubernetes-csi/csi-test), unmodified, against the
 * driver of directories and images with all and with few of its parts. They speak by way of the gRPC of Go.
 *
 * The driver and the tests run in a mount namespace of their own, which needs root on Linux; without it volumes are linked,
 * and what wants images is left out. Specs that a variant skips, since the driver says that it cannot do it, are printed.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import { EXECUTABLE } from "../serve/keelson.ts";
import { built } from "./built.ts";

const bin = await built({
  name: "sanity",
  folder: new URL("sanity/", import.meta.url).pathname,
  commands: (output) => [["go", "build", "-o", `${output}/`, "tool"]],
});

const works = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: "ignore" }).status === 0;
const canMount = process.getuid?.() === 0 && works("unshare", "--mount", "true");
const canLoop = canMount && works("losetup", "--find") && works("mkfs.ext4", "-V");

interface Variant {
  readonly name: string;
  /** Of the driver. */
  readonly flags: readonly string[];
  /** Of the tests. */
  readonly more?: readonly string[];
  /** How many specs have to run; the driver may not say that it can do less. */
  readonly least: number;
  readonly images?: boolean;
  /** Whether it is played with `LONG=1` only. */
  readonly long?: boolean;
}

const FEW = "stage,snapshots,clone,expand,list,capacity,get-volume,modify,stats,condition,multi-writer";

const VARIANTS: readonly Variant[] = [
  { name: "as it is by default", flags: [], least: 75 },
  {
    name: "attached, with a limit of volumes",
    flags: ["--with", "attach,mount-group", "--max-volumes", "3"],
    more: ["--csi.testnodevolumeattachlimit"],
    least: 85,
    long: true,
  },
  { name: "without staging", flags: ["--without", "stage"], least: 70, long: true },
  { name: "with as little as may be", flags: ["--without", FEW], least: 28 },
  {
    name: "with a place and a capacity",
    flags: ["--with", "attach,node-expand", "--topology", "example.com/rack=a", "--capacity", "100Gi"],
    least: 88,
    long: true,
  },
  { name: "with links in place of mounts", flags: ["--links"], least: 75, long: true },
  { name: "images", flags: ["--backing", "image"], least: 79, images: true, long: true },
  {
    name: "images that are attached and not staged",
    flags: ["--backing", "image", "--with", "attach", "--without", "stage"],
    least: 83,
    images: true,
    long: true,
  },
  {
    name: "images as devices",
    flags: ["--backing", "image", "--with", "attach"],
    more: ["--csi.testvolumeaccesstype=block"],
    least: 88,
    images: true,
  },
];

const PLAYED = VARIANTS.filter(({ images, long }) => (!images || canLoop) && (!long || LONG));

let home: string;
let keeper: ChildProcess | undefined;
let driver: ChildProcess | undefined;

/** The command in the namespace of the test. */
const inside = (...command: readonly string[]): readonly [string, ...string[]] =>
  keeper ? ["nsenter", `--mount=/proc/${keeper.pid}/ns/mnt`, "--", ...command] : (command as [string, ...string[]]);

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "keelson-sanity-"));
  mkdirSync(join(home, "pods"));
  if (!canMount) return;
  const held = ["--mount", "sh", "-c", "echo ready; exec sleep 600"];
  keeper = spawn("unshare", held, { stdio: ["ignore", "pipe", "ignore"] });
  await once(keeper.stdout!, "data");
});
afterEach(async () => {
  await end(driver, "SIGTERM");
  driver = undefined;
  await end(keeper, "SIGKILL");
  keeper = undefined;
  rmSync(home, { recursive: true });
});

/** A spec as the report of the tests has it. */
interface Spec {
  readonly name: string;
  readonly status: string;
}

function specs(): Spec[] {
  const report = readFileSync(join(home, "report.xml"), "utf8");
  return [...report.matchAll(/<testcase name="([^"]*)"[^>]* status="([^"]*)"/g)].map(([, name, status]) => ({
    name: name!.replaceAll("&#34;", '"'),
    status: status!,
  }));
}

async function play({ flags, more = [] }: Variant): Promise<{ code: number | null; said: string }> {
  const endpoint = `unix://${home}/csi.sock`;
  const start = inside(process.execPath, EXECUTABLE, "driver", "--socket", endpoint, "--dir", `${home}/dir`, ...flags);
  driver = spawn(start[0], start.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
  await once(driver.stdout!, "data");
  writeFileSync(join(home, "mutable.yaml"), 'iops: "100"\n');
  const run = inside(
    join(bin!, "csi-sanity"),
    `--csi.endpoint=${endpoint}`,
    `--csi.mountdir=${home}/pods/target`,
    `--csi.stagingdir=${home}/pods/staging`,
    `--csi.junitfile=${home}/report.xml`,
    `--csi.testvolumemutableparameters=${home}/mutable.yaml`,
    "--csi.testvolumesize=67108864",
    "--csi.testvolumeexpandsize=134217728",
    "--ginkgo.no-color",
    ...more,
  );
  const tests = spawn(run[0], run.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  tests.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  tests.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(tests, "close")) as [number | null];
  return { code, said };
}

describe.skipIf(bin === undefined)("csi-sanity 5.6.0", { timeout: 120_000 }, () => {
  test.each(PLAYED.map((variant) => [variant.name, variant] as const))(
    "SUP-18: the driver of directories is one as CSI has them: %s",
    async (name, variant) => {
      const { code, said } = await play(variant);
      const found = specs();
      const named = (status: string): string[] =>
        found.filter((spec) => spec.status === status).map((spec) => spec.name);
      const failed = named("failed");
      if (code !== 0) console.log(said.slice(-4000));
      expect({ code, failed }).toEqual({ code: 0, failed: [] });
      expect(named("passed").length).toBeGreaterThanOrEqual(variant.least);
      const skipped = [...named("skipped"), ...named("pending")];
      console.log([`${name}: ${named("passed").length} passed, ${skipped.length} skipped:`, ...skipped].join("\n  "));
      // Every spec removes what it has made; what is left would be a leak of the driver.
      expect(readdirSync(join(home, "dir", "volumes"))).toEqual([]);
      expect(readdirSync(join(home, "dir", "snapshots"))).toEqual([]);
    },
  );
});
