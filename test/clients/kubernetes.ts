/**
 * Programs of Kubernetes itself, as a folder with a `go.mod` names them: they are big, and built only when they are asked for, see
 * `docs/contributing/testing.md`.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { built, isBuilt } from "./built.ts";

/** One of them. */
export interface KubernetesProgram {
  /** As its users call it. */
  readonly name: string;
  /** The folder with its `go.mod`. */
  readonly folder: string;
  /** What is built beside it. */
  readonly packages?: readonly string[];
  /** The variable of the environment that asks for it: `1`. */
  readonly variable: string;
}

/** Its version, such as `1.35.3`. */
export const versionOf = (folder: string): string =>
  /k8s\.io\/kubernetes v(\S+)/.exec(readFileSync(`${folder}/go.mod`, "utf8"))![1]!;

/** The folder with what was built; undefined, with the reason printed, where it is left out. */
export async function find({ name, folder, packages = [], variable }: KubernetesProgram): Promise<string | undefined> {
  // A binary that is built from modules alone does not know its version.
  const version = versionOf(folder);
  const [major, minor] = version.split(".");
  const names = [`gitVersion=v${version}`, `gitMajor=${major}`, `gitMinor=${minor}`];
  const flags = names.map((set) => `-X k8s.io/component-base/version.${set}`).join(" ");
  const source = {
    name,
    folder,
    commands: (output: string) => [["go", "build", "-ldflags", flags, "-o", `${output}/`, ...packages, "tool"]],
  };
  if (process.env[variable] === "1" || isBuilt(source)) return built(source);
  console.log(`${name} is left out: ${variable}=1 builds it, which takes some minutes`);
  return undefined;
}
