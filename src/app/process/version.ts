import { existsSync, readFileSync } from "node:fs";

interface Package {
  readonly folder: URL;
  readonly version: string;
}

const { folder, version }: Package = findPackage();

/** The root folder of this package; this file may be a source or built into `dist`. */
export const PACKAGE: URL = folder;

/** The version of the package, from its package.json. */
export const VERSION: string = version;

function findPackage(): Package {
  for (const up of ["../../../", "../../", "../", "../../../../"]) {
    const found = new URL(up, import.meta.url);
    const file = new URL("package.json", found);
    if (!existsSync(file)) continue;
    const content = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (content.name === "keelson" && content.version) return { folder: found, version: content.version };
  }
  return { folder: new URL("../../../", import.meta.url), version: "0.0.0" };
}
