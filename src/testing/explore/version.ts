import { readFileSync } from "node:fs";
import type { Finding } from "../../explore/contract/finding.ts";

/** The package, from a source and from the built program. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

/** The version of keelson in a finding, and where it was found. */
export const versionsOf = (keelson: string): Finding["versions"] => ({
  keelson,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
});

/** The data of this package in a finding. */
export function versions(): Finding["versions"] {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };
  return versionsOf(version);
}
