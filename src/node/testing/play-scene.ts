/**
 * A program that runs one scene in its mount namespace: MODULE NAME DIRECTORY.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import type { Scene } from "./scene.ts";

const [module, name, directory] = process.argv.slice(2) as [string, string, string];
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512m,mode=0755", "scene", directory]);
if (mounted.status !== 0) throw new Error(mounted.stderr.toString());
const scenes = (await import(module)) as Readonly<Record<string, Scene | undefined>>;
const scene = scenes[name];
if (!scene) throw new Error(`there is no scene ${name} in ${module}`);
await scene(directory);
