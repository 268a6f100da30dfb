import { forShell } from "../../util/for-shell.ts";
import { neutral } from "../../meta/dialect.ts";
import { isAny, machineAddresses } from "../certificates/certificates.ts";
import type { ServeOptions } from "../options/options.ts";
import { VERSION } from "../process/version.ts";
import type { RunningServer } from "../start/server.ts";

/** What {@link announcement} needs in addition to the server. */
export interface AnnouncementParts {
  readonly options: ServeOptions;
  /** Whether the data directory is new. */
  readonly isFirstStart: boolean;
  /** Whether the same output has a log with the same facts. */
  readonly isLogged: boolean;
  /** The file that Node.js was started with: `process.argv[1]`. */
  readonly program: string | undefined;
  /** Milliseconds from the start of the process until the server was ready. */
  readonly millis: number;
}

/** Returns the lines that a server prints when it is ready; if they are logged, only the token, which is in no log. */
export function announcement(
  server: RunningServer,
  { options, isFirstStart, isLogged, program, millis }: AnnouncementParts,
): string[] {
  const { kubeconfigFile } = server;
  const access = kubeconfigFile !== undefined || options.readOnly ? [] : accessWithoutKubeconfig(server);
  if (isLogged) return access;
  return [
    `keelson ${VERSION} (${server.dialect.name} dialect, ${options.store} store)`,
    ...(server.dialect === neutral ? [OTHER_DIALECT] : []),
    `listening on ${server.url}`,
    ...(isAny(options.bind) ? [`from other machines: ${elsewhere(server.url).join(", ")}`] : []),
    options.dev ? "data directory: none, nothing is kept" : `data directory: ${options.dataDir}`,
    ...(kubeconfigFile === undefined ? [] : [`export KUBECONFIG=${forShell(kubeconfigFile)}`]),
    ...access,
    `ready in ${Math.round(millis)} ms`,
    ...(isFirstStart && kubeconfigFile !== undefined ? firstSteps(commandOf(program), options) : []),
  ];
}

const OTHER_DIALECT = "for clients of Kubernetes start another directory: --data-dir DIRECTORY --dialect kubernetes";

/** The command that a user types for this program: its name where it was found in `PATH`, as in a container, else one with npx. */
const commandOf = (program = ""): string =>
  /(?<!node_modules\/\.bin)\/keelson$/.test(program) ? "keelson" : "npx keelson";

/**
 * Three commands for a new user: create an object, see who owns its fields, see its history; then where to look next. The console needs
 * no kubeconfig, for it finds the server by its data directory.
 */
function firstSteps(command: string, { console, dataDir }: ServeOptions): string[] {
  const directory = forShell(dataDir);
  return [
    "",
    "try in another terminal, after the export above:",
    "  kubectl create configmap web --from-literal=colour=red",
    "  kubectl get configmap web -o yaml --show-managed-fields",
    `  ${command} history configmap web`,
    "",
    "where to look:",
    ...(console ? [`  ${command} console --data-dir ${directory}   opens the console in a browser`] : []),
    `  ${command} doctor --data-dir ${directory}    checks this machine, the directory and the clients`,
    "  docs/tutorial.md of the package is a tour, docs/README.md a list of all guides",
  ];
}

/** The URLs of a server for other machines. */
const elsewhere = (url: string): string[] =>
  machineAddresses().map((host) => url.replace("127.0.0.1", host.includes(":") ? `[${host}]` : host));

/** The token, and a kubectl command that needs no kubeconfig. */
function accessWithoutKubeconfig({ url, pki: { adminToken } }: RunningServer): string[] {
  const insecure = url.startsWith("https:") ? " --insecure-skip-tls-verify" : "";
  return [`bearer token: ${adminToken}`, `kubectl --server=${url} --token=${adminToken}${insecure} get namespaces`];
}
