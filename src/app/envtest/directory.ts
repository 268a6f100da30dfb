/**
 * Creates the directory for `KUBEBUILDER_ASSETS` of envtest: `kube-apiserver`, `etcd`, and a link to `kubectl` if there is one.
 *
 * The programs are shell scripts. They print their help, which envtest reads before each start, without Node.js, which would start
 * more slowly.
 *
 * @module
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { EnvtestDirectory } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import { forShell } from "../../util/for-shell.ts";
import { makeDirectory, replaceFile } from "../storage/data-directory.ts";
import { PACKAGE, VERSION } from "../process/version.ts";
import { API_SERVER_FLAGS } from "./apiserver-flags.ts";
import { ETCD_FLAGS } from "./etcd-flags.ts";
import type { ProgramName } from "./program.ts";

/** Marks a script as generated: such a file may be overwritten. */
const MARK = "# Made by keelson envtest";

/** The Kubernetes release that the programs emulate. */
const KUBERNETES = "1.35.0";

const PROGRAMS: Readonly<
  Record<ProgramName, { readonly version: string; readonly flags: Readonly<Record<string, string>> }>
> = {
  "kube-apiserver": { version: `Kubernetes v${KUBERNETES}+keelson.${VERSION}`, flags: API_SERVER_FLAGS },
  etcd: { version: `etcd Version: 3.6.5+keelson.${VERSION}`, flags: ETCD_FLAGS },
};

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** The folders of a version in which other tools (setup-envtest, Gradle plugins) look: in the directory itself, or in `k8s`. */
const LAYOUTS = ["", "k8s"].map((folder) => {
  const { platform, arch } = process;
  return join(folder, `${KUBERNETES}-${platform}-${GO_ARCHITECTURES[arch] ?? arch}`);
});

/** Creates or updates the directory. @throws CliError if a file of another program would be overwritten */
export function makeEnvtestDirectory(path: string, searchPath: string): EnvtestDirectory {
  const directory = resolve(path);
  makeDirectory(directory);
  const names = Object.keys(PROGRAMS) as ProgramName[];
  for (const folder of ["", ...LAYOUTS]) for (const name of names) checkOurs(join(directory, folder, name));
  for (const name of names) {
    const file = join(directory, name);
    replaceFile(file, scriptOf(name, directory), { mode: 0o755 });
    // The umask of the process may have removed the permission to run it.
    chmodSync(file, 0o755);
  }
  const kubectl = linkKubectl(directory, searchPath);
  for (const folder of LAYOUTS) linkPrograms(directory, folder, [...names, ...(kubectl ? ["kubectl"] : [])]);
  return { path: directory, kubectl };
}

/** Links programs of the directory into a folder below it. */
function linkPrograms(directory: string, folder: string, names: readonly string[]): void {
  const to = join(directory, folder);
  mkdirSync(to, { recursive: true });
  for (const name of [...Object.keys(PROGRAMS), "kubectl"]) {
    const link = join(to, name);
    const isThere = lstatSync(link, { throwIfNoEntry: false });
    // A file that is not a link belongs to another program.
    if (isThere && !isThere.isSymbolicLink()) continue;
    if (isThere) rmSync(link);
    if (names.includes(name)) symlinkSync(relative(to, join(directory, name)), link);
  }
}

function checkOurs(file: string): void {
  if (!existsSync(file)) return;
  if (statSync(file).size < 1 << 20 && readFileSync(file, "utf8").includes(MARK)) return;
  throw new CliError(`expected ${file} not to exist, or to be created by this command: choose another directory`);
}

/** Returns the script, which prints help and version itself and starts Node.js for the rest. */
function scriptOf(name: ProgramName, directory: string): string {
  const { version, flags } = PROGRAMS[name];
  const width = Math.max(...Object.keys(flags).map((flag) => flag.length));
  const lines = Object.entries(flags).map(([flag, about]) => `      --${flag.padEnd(width)}   ${about}`);
  const help = [
    `${name} for envtest, emulated by Keelson ${VERSION}. Other flags are accepted and ignored.`,
    "",
    ...lines,
  ];
  const program = fileURLToPath(new URL("bin/envtest.js", PACKAGE));
  return [
    "#!/bin/sh",
    `${MARK}: ${name}, emulated by Keelson ${VERSION}.`,
    'case "$1" in',
    "--help | -h)",
    `  echo ${forShell(help.join("\n"))}`,
    "  exit ;;",
    "--version)",
    `  echo ${forShell(version)}`,
    "  exit ;;",
    "esac",
    `export NODE_COMPILE_CACHE=${forShell(join(directory, ".compiled"))}`,
    `exec ${forShell(process.execPath)} ${forShell(program)} ${name} "$@"`,
    "",
  ].join("\n");
}

/** Links the first kubectl of the search path; undefined if there is none. A kubectl that is not a link stays. */
function linkKubectl(directory: string, searchPath: string): string | undefined {
  const link = join(directory, "kubectl");
  const isThere = lstatSync(link, { throwIfNoEntry: false });
  if (isThere && !isThere.isSymbolicLink()) return link;
  const found = searchPath
    .split(delimiter)
    .map((folder) => join(folder, "kubectl"))
    .find((file) => dirname(file) !== directory && isProgram(file));
  if (isThere) rmSync(link);
  if (found) symlinkSync(realpathSync(found), link);
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
