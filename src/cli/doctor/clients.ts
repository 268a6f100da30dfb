/** Checks of other programs in PATH: kubectl, Helm, a browser. */
import { type Check, ok, warn } from "./check.ts";

/** Returns the minor version in a text such as `v1.35.2`; undefined for other texts. */
export function minorOf(version: string | undefined): number | undefined {
  const [, minor] = /^v?1\.(\d{1,4})(?:\D|$)/.exec(version ?? "") ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/**
 * Checks kubectl, which may be one minor version older or newer than its server
 * (https://kubernetes.io/releases/version-skew-policy/).
 *
 * @param printed by `kubectl version --client --output=json`; undefined where there is none in PATH
 */
export function kubectlCheck(printed: string | undefined, served: number): Check {
  if (printed === undefined)
    return warn("kubectl", "not in PATH", "install it: https://kubernetes.io/docs/tasks/tools/");
  const version = clientVersion(printed);
  const minor = minorOf(version);
  if (version === undefined || minor === undefined)
    return warn("kubectl", "of unknown version", "run kubectl version --client");
  if (Math.abs(minor - served) <= 1) return ok("kubectl", version);
  const advice = `the server is 1.${served}, kubectl should differ by at most one minor version; older ones from 1.27 were tested`;
  return minor >= 27 && minor < served ? ok("kubectl", version, advice) : warn("kubectl", version, advice);
}

function clientVersion(printed: string): string | undefined {
  try {
    const found = (JSON.parse(printed) as { clientVersion?: { gitVersion?: unknown } }).clientVersion?.gitVersion;
    return typeof found === "string" ? found.slice(0, 50) : undefined;
  } catch {
    return undefined;
  }
}

/** Checks Helm, by the output of `helm version --short`. */
export function helmCheck(printed: string | undefined): Check {
  if (printed === undefined)
    return ok("helm", "not in PATH", "only charts need it: https://helm.sh/docs/intro/install/");
  const [version] = /v\d{1,4}\.\d{1,4}\.\d{1,4}/.exec(printed) ?? [];
  if (version === undefined) return warn("helm", "of unknown version", "run helm version");
  return /^v[34]\./.test(version) ? ok("helm", version) : warn("helm", version, "use Helm 3 or newer");
}

/** Checks whether there is a browser for the console; the names of those in PATH are passed in. */
export const browserCheck = (names: readonly string[], display: boolean): Check =>
  names.length > 0 || display
    ? ok("browser", names[0] ?? "that of the desktop")
    : ok("browser", "none in PATH", "open the address of `keelson console` on another machine");
