import { readFileSync } from "node:fs";
import type { Finding } from "../../explore/contract/finding.ts";

/** The package, from a source and from what is built of it. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

/** What a finding of a version of keelson says of where it was found. */
export const versionsOf = (keelson: string): Finding["versions"] => ({
  keelson,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
});

/** What a finding of this package says of where it was found. */
export function versions(): Finding["versions"] {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };
  return versionsOf(version);
}
