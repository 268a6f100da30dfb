// Releases a version: checks what must hold, builds and packs, writes what goes beside the tarball, publishes, tags.
//
//     npm run release -- --dry-run     tells what would be done, and fails if something is wrong here
//     npm run release                  does it; it fails before anything leaves the machine if something is needed yet
//
// Everything is written to `.results/release/`: the tarball, the chart, `sbom.cdx.json`, `notes.md`, `SHA256SUMS`.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { BUNDLED_PACKAGES } from "./bundled-packages.ts";
import {
  type Manifest,
  branchStep,
  distTagOf,
  lockStep,
  provenanceStep,
  registryStep,
  tagStep,
  tarballVersion,
  treeStep,
  versionStep,
} from "./release/checks.ts";
import { changelogStep, sectionsOf } from "./release/changelog.ts";
import { type Packed, contentsStep, wrongContents } from "./release/contents.ts";
import { type LockFile, billOf } from "./release/sbom.ts";
import { type Step, exitCodeOf, linesOf } from "./release/step.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const output = join(root, ".results/release");
const isDryRun = process.argv.includes("--dry-run");
const unknown = process.argv.slice(2).filter((arg) => arg !== "--dry-run");
if (unknown.length > 0) {
  console.error(`expected --dry-run or nothing, got ${unknown.join(" ")}`);
  process.exit(2);
}

const read = (name: string): string => readFileSync(join(root, name), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest & { dependencies: Record<string, string> };
const lock = JSON.parse(read("package-lock.json")) as LockFile;
const { name, version } = manifest;
const chart = parse(read("packaging/helm/keelson/Chart.yaml")) as { version?: string; appVersion?: string };
const pages = globSync(["README.md", "docs/**/*.md"], { cwd: root }).flatMap((page): [string, string][] => {
  const named = tarballVersion(read(page), manifest);
  return named === undefined ? [] : [[page, named]];
});

const head = git("rev-parse", "HEAD")?.trim();
const steps: Step[] = [
  versionStep(
    manifest,
    {
      "package-lock.json": lock.version,
      "console/package.json": (JSON.parse(read("console/package.json")) as Manifest).version,
      "site/package.json": (JSON.parse(read("site/package.json")) as Manifest).version,
      "packaging/helm/keelson/Chart.yaml (version)": chart.version,
      "packaging/helm/keelson/Chart.yaml (appVersion)": chart.appVersion,
      ...Object.fromEntries(pages),
    },
    git("tag", "--list")?.split("\n") ?? [],
  ),
  registryStep(manifest, versionsInRegistry()),
  changelogStep(read("CHANGELOG.md"), version),
  branchStep(git("symbolic-ref", "--short", "HEAD")?.trim()),
  treeStep(git("status", "--porcelain")?.split("\n").filter(Boolean), head),
  lockStep(lock, manifest.dependencies),
  provenanceStep(manifest, process.env),
];

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
// prepack builds.
const [packed] = JSON.parse(npm("pack", "--json", "--pack-destination", output)) as [Packed];
const publish = ["publish", `./${packed.filename}`, "--provenance", "--access", "public", "--tag", distTagOf(version)];
steps.push(contentsStep(packed));
for (const wrong of wrongContents(packed)) console.error(wrong);

const time = new Date(Number(git("show", "--no-patch", "--format=%ct", "HEAD") ?? 0) * 1000).toISOString();
const bill = billOf(lock, { name, bundles: BUNDLED_PACKAGES, time });
const files = {
  "sbom.cdx.json": `${JSON.stringify(bill, undefined, 2)}\n`,
  "notes.md": sectionsOf(read("CHANGELOG.md"))[0]?.notes ?? "",
};
for (const [file, text] of Object.entries(files)) writeFileSync(join(output, file), text);
// As `helm package` makes it, of the commit alone. It has the name of the package, so it has a folder of its own.
const chartFile = `chart/${name}-${version}.tgz`;
const hasChart = packChart(join(output, chartFile));
const sums = [packed.filename, ...(hasChart ? [chartFile] : []), ...Object.keys(files)].map(
  (file) => `${sha256Of(join(output, file))}  ${file}\n`,
);
writeFileSync(join(output, "SHA256SUMS"), sums.join(""));
steps.push(
  ready("sbom", `${bill.components.length} components`, "sbom.cdx.json (CycloneDX 1.6)"),
  ready("checksums", `${sums.length} files`, "SHA256SUMS (sha256sum --check)"),
  tagStep(manifest, git("var", "GIT_COMMITTER_IDENT")),
  ready("npm", packed.filename, `npm ${publish.join(" ")}`),
  ready(
    "image",
    "linux/amd64, linux/arm64",
    "docker buildx build --file packaging/container/Dockerfile; see docs/guides/install.md",
  ),
  hasChart
    ? ready("chart", "packaging/helm/keelson", `${chartFile}; helm push it to a registry yourself`)
    : { name: "chart", verdict: "needed", found: "no commit to make it of", next: "release from a clone" },
);

console.log(linesOf(steps).join("\n"));
console.log(`\nwritten to ${output}`);
process.exitCode = exitCodeOf(steps, isDryRun);
if (isDryRun) console.log("dry run: nothing was published or tagged");
else if (process.exitCode !== 0) console.error("nothing was published: see the steps that are not ready");
else {
  // A tag that is not pushed can be deleted; a version that is published stays.
  const notes = join(output, "notes.md");
  run("git", ["tag", "--annotate", `v${version}`, "--cleanup=whitespace", "--file", notes], root);
  try {
    run("npm", publish, output);
  } catch (error) {
    run("git", ["tag", "--delete", `v${version}`], root);
    throw error;
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: "inherit" });
}

function ready(step: string, found: string, next: string): Step {
  return { name: step, verdict: "ready", found, next };
}

/** What `npm view` prints of all versions; it prints an error as JSON, too. */
function versionsInRegistry(): string {
  const args = ["view", name, "versions", "--json", "--fetch-retries=0", "--fetch-timeout=10000"];
  return spawnSync("npm", args, { cwd: root, encoding: "utf8", timeout: 30_000 }).stdout;
}

/** Packs the chart of the commit to a file; false outside of git. */
function packChart(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true });
  const args = ["archive", "--format=tar.gz", `--prefix=${name}/`, `--output=${file}`, "HEAD"];
  return spawnSync("git", args, { cwd: join(root, "packaging/helm/keelson") }).status === 0;
}

/** Runs git; undefined where that fails. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}

function npm(...args: readonly string[]): string {
  const printed = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 ** 2,
  });
  // What prepack prints comes before the answer.
  return printed.slice(printed.search(/^\[$/m));
}

function sha256Of(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
