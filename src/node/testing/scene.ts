/**
 * Scenes: parts of tests that need mounts, each in a process with its own mount namespace.
 *
 * A scene is an exported function of a module. It gets an empty directory on a tmpfs. Its mounts end with its process.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A part of a test, which fails when it throws. */
export type Scene = (directory: string) => Promise<void>;

const IN_NAMESPACE = ["--mount", "--propagation", "private"];

/** Why this process cannot have a mount namespace; undefined where it can. */
export const whyNoMounts: string | undefined = ((): string | undefined => {
  if (process.platform !== "linux") return "mounts are tested on Linux";
  const { status, stderr, error } = spawnSync("unshare", [...IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]);
  return status === 0 ? undefined : `this process may not mount: ${error?.message ?? stderr.toString().trim()}`;
})();

if (whyNoMounts !== undefined) process.stderr.write(`Tests with mounts are skipped: ${whyNoMounts}\n`);

/** Runs a scene, and fails when it does. For tests that are skipped where there is {@link whyNoMounts}. */
export async function runScene(module: string, name: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "scene-"));
  const program = fileURLToPath(new URL("./play-scene.ts", import.meta.url));
  try {
    await new Promise<void>((resolve, reject) => {
      const args = [...IN_NAMESPACE, process.execPath, program, module, name, directory];
      const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}\n${said}`))));
    });
  } finally {
    await rmdir(directory);
  }
}
