/**
 * `/version`: clients select their protocol by it, so it has the version of the Kubernetes release whose API is served.
 *
 * @module
 */
import { arch, platform, version as nodeVersion } from "node:process";

/** The members of `/version`. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The minor version of the Kubernetes release that the API follows. */
export const KUBERNETES_MINOR = 35;

const MINOR = String(KUBERNETES_MINOR);

/**
 * The version document.
 *
 * @param own the version of this program, for instance `0.1.0`
 */
export const versionInfo = (own: string, commit = "", buildDate = "1970-01-01T00:00:00Z"): VersionInfo => ({
  major: "1",
  minor: MINOR,
  emulationMajor: "1",
  emulationMinor: MINOR,
  minCompatibilityMajor: "1",
  minCompatibilityMinor: String(KUBERNETES_MINOR - 1),
  gitVersion: `v1.${MINOR}.0+keelson.${own}`,
  gitCommit: commit,
  gitTreeState: "clean",
  buildDate,
  goVersion: `node ${nodeVersion}`,
  compiler: "v8",
  platform: `${platform}/${arch === "x64" ? "amd64" : arch}`,
});
