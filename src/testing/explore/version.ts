import { readFileSync } from "node:fs";

/** The package, from a source and from what is built of it. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

/** What a finding says of where it was found. */
export const versions = (): { readonly keelson: string; readonly node: string; readonly platform: string } => {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };
  return { keelson: version, node: process.version, platform: `${process.platform} ${process.arch}` };
};
