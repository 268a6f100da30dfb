/**
 * What a Pod knows of the API server of its cluster: an address in its environment, the files of its service account.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChosenContext } from "./context.ts";
import { KubeconfigError } from "./error.ts";

/** Where the files of a service account lie in a container. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether there is what {@link inClusterContext} needs. */
export const isInCluster = (env: Readonly<Record<string, string | undefined>>, folder: string): boolean =>
  (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "" && existsSync(join(folder, "token"));

/** The cluster around a Pod. @throws KubeconfigError outside of one */
export function inClusterContext(env: Readonly<Record<string, string | undefined>>, folder: string): ChosenContext {
  const [host, port] = [env["KUBERNETES_SERVICE_HOST"] ?? "", env["KUBERNETES_SERVICE_PORT"] ?? ""];
  if (host === "" || port === "") {
    throw new KubeconfigError("expected KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, as every Pod has them");
  }
  return {
    name: "in-cluster",
    transport: { url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`, ca: read(join(folder, "ca.crt")) },
    user: { tokenFile: join(folder, "token") },
    namespace: existsSync(join(folder, "namespace")) ? read(join(folder, "namespace")).trim() : "default",
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new KubeconfigError(`expected the file ${file} of a service account: ${(cause as Error).message}`, { cause });
  }
}
