import { existsSync, readFileSync } from "node:fs";

/** The version of the package, from its package.json, wherever this file was built to. */
export const VERSION: string = readVersion();

function readVersion(): string {
  for (const up of ["../../package.json", "../package.json"]) {
    const url = new URL(up, import.meta.url);
    if (!existsSync(url)) continue;
    const { name, version } = JSON.parse(readFileSync(url, "utf8")) as { name?: string; version?: string };
    if (name === "keelson" && version) return version;
  }
  return "0.0.0";
}
