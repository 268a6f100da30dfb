/**
 * The kubectl of the day, built with Go where that is there: older machines have older ones only.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";

const SOURCE = new URL("../clients/kubectl/", import.meta.url).pathname;
const CACHE = new URL("../../node_modules/.cache/keelson/", import.meta.url).pathname;
const BINARY = `${CACHE}kubectl.1.35`;

/** Its version. */
export const NEWEST_VERSION = "1.35";

/** A binary built from the module alone does not know its version, and clients compare it with the server's. */
const NAMES_ITSELF = ["client-go/pkg/version", "component-base/version"]
  .flatMap((name) =>
    [`gitVersion=v${NEWEST_VERSION}.0`, "gitMajor=1", "gitMinor=35"].map((set) => `-X k8s.io/${name}.${set}`),
  )
  .join(" ");

/** Its path; built at the first call, which may take minutes. Undefined, with a reason printed, when it cannot be built. */
export function newestKubectl(): string | undefined {
  if (existsSync(BINARY)) return BINARY;
  mkdirSync(CACHE, { recursive: true });
  const started = performance.now();
  try {
    execFileSync("go", ["build", "-ldflags", NAMES_ITSELF, "-o", BINARY, "."], {
      cwd: SOURCE,
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    console.log(`kubectl 1.35 is left out: it could not be built (${String(error).split("\n", 1)[0]})`);
    return undefined;
  }
  console.log(`kubectl 1.35 was built in ${Math.round((performance.now() - started) / 1000)} s`);
  return BINARY;
}
