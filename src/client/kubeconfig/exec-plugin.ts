/**
 * The exec plugin of a user in a kubeconfig.
 *
 * @see https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
 */
import { dirname, resolve } from "node:path";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { KubeconfigError } from "./error.ts";

type InteractiveMode = "Never" | "IfAvailable" | "Always";

/** An exec plugin and its input. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interactiveMode: InteractiveMode;
  /** A hint for a missing program. */
  readonly installHint: string;
  /** The cluster info, if the plugin requests it. */
  readonly cluster: object | undefined;
}

const V1 = "client.authentication.k8s.io/v1";
const V1BETA1 = "client.authentication.k8s.io/v1beta1";
const MODES: readonly InteractiveMode[] = ["Never", "IfAvailable", "Always"];

/**
 * Reads the member `exec` of a user.
 *
 * @param file the file with it; the path of a command is relative to its folder
 * @throws KubeconfigError that names the member
 */
export function execPluginOf(exec: Value, file: string, cluster: object): ExecPlugin {
  if (!isObject(exec)) throw new KubeconfigError(`expected exec in ${file} to be a map`);
  const apiVersion = textOf(exec, "apiVersion", file);
  if (apiVersion !== V1 && apiVersion !== V1BETA1) {
    throw new KubeconfigError(`expected exec.apiVersion in ${file} to be ${V1} or ${V1BETA1}, got ${apiVersion}`);
  }
  const command = textOf(exec, "command", file);
  return {
    apiVersion,
    command: /[/\\]/.test(command) ? resolve(dirname(file), command) : command,
    args: listOf(exec, "args", file).map((one) => argumentOf(one, file)),
    env: Object.fromEntries(listOf(exec, "env", file).map((one) => pairOf(one, file))),
    interactiveMode: modeOf(exec["interactiveMode"], apiVersion, file),
    installHint: typeof exec["installHint"] === "string" ? exec["installHint"] : "",
    cluster: exec["provideClusterInfo"] === true ? cluster : undefined,
  };
}

function textOf(exec: ValueObject, member: string, file: string): string {
  const found = exec[member];
  if (typeof found === "string" && found !== "") return found;
  throw new KubeconfigError(`expected exec.${member} in ${file} to be a text, found none`);
}

function listOf(exec: ValueObject, member: string, file: string): readonly Value[] {
  const found = exec[member] ?? [];
  if (Array.isArray(found)) return found;
  throw new KubeconfigError(`expected exec.${member} in ${file} to be a list`);
}

function argumentOf(one: Value, file: string): string {
  if (typeof one === "string") return one;
  throw new KubeconfigError(`expected each of exec.args in ${file} to be a text, got ${JSON.stringify(one)}`);
}

function pairOf(one: Value, file: string): [string, string] {
  const { name, value = "" } = isObject(one) ? one : {};
  if (typeof name === "string" && typeof value === "string") return [name, value];
  throw new KubeconfigError(`expected each entry of exec.env in ${file} to have a name and a value, both texts`);
}

function modeOf(said: Value | undefined, apiVersion: string, file: string): InteractiveMode {
  if (said == null && apiVersion === V1BETA1) return "IfAvailable";
  const mode = MODES.find((one) => one === said);
  if (mode) return mode;
  const got = said == null ? "none" : JSON.stringify(said);
  throw new KubeconfigError(`expected exec.interactiveMode in ${file} to be ${MODES.join(", ")}, found ${got}`);
}
