// Releases a version: checks what must hold, builds and packs, writes what goes beside the tarball, publishes, tags.
//
//     npm run release -- --dry-run     tells what would be done, and fails if something is wrong here
//     npm run release                  does it; it fails before anything leaves the machine if something is needed yet
//
// Everything is written to `.results/release/`: the tarball, `sbom.cdx.json`, `notes.md`, `SHA256SUMS`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLED_PACKAGES } from "./bundled-packages.ts";
import { type Manifest, lockStep, provenanceStep, treeStep, versionStep } from "./release/checks.ts";
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
const chart = (key: string): string | undefined =>
  new RegExp(`^${key}: "?([^"\\s]+)"?$`, "m").exec(read("packaging/helm/keelson/Chart.yaml"))?.[1];

const head = git("rev-parse", "HEAD")?.trim();
const steps: Step[] = [
  versionStep(
    manifest,
    {
      "package-lock.json": lock.version,
      "console/package.json": (JSON.parse(read("console/package.json")) as Manifest).version,
      "site/package.json": (JSON.parse(read("site/package.json")) as Manifest).version,
      "packaging/helm/keelson/Chart.yaml (version)": chart("version"),
      "packaging/helm/keelson/Chart.yaml (appVersion)": chart("appVersion"),
    },
    git("tag", "--list")?.split("\n") ?? [],
  ),
  changelogStep(read("CHANGELOG.md"), version),
  treeStep(git("status", "--porcelain")?.split("\n").filter(Boolean), head),
  lockStep(lock, manifest.dependencies),
  provenanceStep(manifest, process.env),
];

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
// prepack builds.
const [packed] = JSON.parse(npm("pack", "--json", "--pack-destination", output)) as [Packed];
steps.push(contentsStep(packed));
for (const wrong of wrongContents(packed)) console.error(wrong);

const time = new Date(Number(git("show", "--no-patch", "--format=%ct", "HEAD") ?? 0) * 1000).toISOString();
const bill = billOf(lock, { name, bundles: BUNDLED_PACKAGES, time });
const files = {
  "sbom.cdx.json": `${JSON.stringify(bill, undefined, 2)}\n`,
  "notes.md": sectionsOf(read("CHANGELOG.md"))[0]?.notes ?? "",
};
for (const [file, text] of Object.entries(files)) writeFileSync(join(output, file), text);
const sums = [packed.filename, ...Object.keys(files)].map((file) => `${sha256Of(join(output, file))}  ${file}\n`);
writeFileSync(join(output, "SHA256SUMS"), sums.join(""));
steps.push(
  ready("sbom", `${bill.components.length} components`, "sbom.cdx.json (CycloneDX 1.6)"),
  ready("checksums", `${sums.length} files`, "SHA256SUMS (sha256sum --check)"),
  ready("npm", packed.filename, `npm publish ${packed.filename} --provenance --access public`),
  ready("git", `v${version}`, `git tag --annotate v${version}; push it yourself`),
  ready(
    "image",
    "linux/amd64, linux/arm64",
    "docker buildx build --file packaging/container/Dockerfile; see docs/guides/install.md",
  ),
  ready("chart", "packaging/helm/keelson", `helm package packaging/helm/keelson: keelson-${version}.tgz`),
);

console.log(linesOf(steps).join("\n"));
console.log(`\nwritten to ${output}`);
process.exitCode = exitCodeOf(steps, isDryRun);
if (isDryRun) console.log("dry run: nothing was published or tagged");
else if (process.exitCode !== 0) console.error("nothing was published: see the steps that are not ready");
else {
  execFileSync("npm", ["publish", join(output, packed.filename), "--provenance", "--access", "public"], {
    cwd: root,
    stdio: "inherit",
  });
  execFileSync("git", ["tag", "--annotate", `v${version}`, "--file", join(output, "notes.md")], {
    cwd: root,
    stdio: "inherit",
  });
}

function ready(step: string, found: string, next: string): Step {
  return { name: step, verdict: "ready", found, next };
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
