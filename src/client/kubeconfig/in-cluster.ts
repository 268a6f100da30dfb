/** The API server as a Pod finds it: its address in the environment, and the files of the service account. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChosenContext } from "./context.ts";
import { KubeconfigError } from "./error.ts";
import { messageOf } from "../../util/error.ts";

/** The folder of a service account in a container. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether the process runs in a Pod. */
export const isInCluster = (env: Readonly<Record<string, string | undefined>>, folder: string): boolean =>
  (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "" && existsSync(join(folder, "token"));

/** Returns the context of a Pod. @throws KubeconfigError outside of one */
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
    throw new KubeconfigError(`expected the file ${file} of a service account: ${messageOf(cause)}`, { cause });
  }
}
