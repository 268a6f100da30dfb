/**
 * What runs controllers of other languages, where it is there.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { built } from "../clients/built.ts";

/** The command before the name of a controller, for each language that can be run here. */
export type Toolchains = Readonly<Partial<Record<"Go" | "Python", readonly [string, ...string[]]>>>;

const folder = (name: string): string => new URL(`${name}/`, import.meta.url).pathname;

/** Builds the program in Go, and looks for Python; what is missing is left out, with a reason printed. */
export async function toolchains(): Promise<Toolchains> {
  const go = await built({
    name: "go-zoo",
    folder: folder("go"),
    commands: (output) => [["go", "build", "-o", `${output}/`, "."]],
  });
  const python = spawnSync("python3", ["--version"]);
  if (python.status !== 0) console.log("controllers in Python are left out: there is no python3");
  return {
    ...(go !== undefined && { Go: [`${go}/zoo`] }),
    ...(python.status === 0 && { Python: ["python3", "-B", `${folder("python")}main.py`] }),
  };
}
