/**
 * What kubeconfig files say: which server, which credentials, which namespace.
 *
 * Read as kubectl reads them: the file of `--kubeconfig`, else those of `KUBECONFIG` (several are one, where two say
 * something of the same name the first one counts), else `~/.kube/config`.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { NodeTransportOptions } from "../client/transport-node.ts";
import { type ValueObject, isObject } from "../value/value.ts";
import { CliError } from "./cli-error.ts";

/** What a command line and its environment say of where to look. */
export interface KubeconfigChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A server, how to reach it and where its user works. */
export interface ChosenContext {
  readonly transport: NodeTransportOptions;
  readonly namespace: string;
}

/** Makes the value of the text of a file. @throws where it is not YAML */
export type Decode = (text: Uint8Array) => unknown;

/** Reads the files and takes the context out of them. @throws CliError that names the file and the member */
export const contextOf = (choice: KubeconfigChoice, decode: Decode): ChosenContext =>
  chooseContext(filesOf(choice, decode), choice.context);

/** The names of all contexts in the files. @throws CliError that names the file */
export const contextNamesOf = (choice: KubeconfigChoice, decode: Decode): readonly string[] =>
  filesOf(choice, decode).flatMap(({ value: { contexts } }) =>
    (Array.isArray(contexts) ? contexts : []).flatMap((entry) => (isObject(entry) ? (text(entry, "name") ?? []) : [])),
  );

/** A member of one of the lists of a kubeconfig, and the file that it stands in. */
interface Named {
  readonly file: string;
  readonly value: ValueObject;
}

/** A file, as far as it was understood. */
interface ReadFile {
  readonly file: string;
  readonly value: ValueObject;
}

function filesOf({ kubeconfig, env }: KubeconfigChoice, decode: Decode): ReadFile[] {
  if (kubeconfig !== undefined) return [readFile(kubeconfig, decode)];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  const candidates = listed.length > 0 ? listed : [join(env["HOME"] ?? homedir(), ".kube", "config")];
  const files = candidates.filter((file) => existsSync(file));
  if (files.length > 0) return files.map((file) => readFile(file, decode));
  throw new CliError(
    `expected a kubeconfig at ${candidates.join(", ")}; name one with --kubeconfig or KUBECONFIG, or print that of a server with keelson kubeconfig`,
  );
}

function readFile(file: string, decode: Decode): ReadFile {
  let value: unknown;
  try {
    value = decode(readFileSync(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`expected ${file} to be a kubeconfig: ${why}`, { cause });
  }
  if (isObject(value)) return { file, value };
  throw new CliError(`expected ${file} to be a kubeconfig, found no map in it`);
}

function chooseContext(files: readonly ReadFile[], asked: string | undefined): ChosenContext {
  const current = files.map(({ value }) => text(value, "current-context")).find((name) => name !== undefined);
  const name = asked ?? current;
  const where = files.map(({ file }) => file).join(", ");
  if (name === undefined) throw new CliError(`expected current-context in ${where}, or --context`);
  const context = find(files, "contexts", "context", name);
  const cluster = find(files, "clusters", "cluster", needed(context, "cluster"));
  const userName = text(context.value, "user");
  const user = userName === undefined ? undefined : find(files, "users", "user", userName);
  return {
    transport: { ...serverOf(cluster), ...(user ? credentialsOf(user) : {}) },
    namespace: text(context.value, "namespace") ?? "default",
  };
}

/** The entry of a name in one of the lists; in the first file that has it. */
function find(files: readonly ReadFile[], list: string, member: string, name: string): Named {
  for (const { file, value } of files) {
    const entries = value[list];
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (!isObject(entry) || entry["name"] !== name) continue;
      const found = entry[member] ?? {};
      if (!isObject(found))
        throw new CliError(`expected ${member} of ${list} ${JSON.stringify(name)} in ${file} to be a map`);
      return { file, value: found };
    }
  }
  const where = files.map(({ file }) => file).join(", ");
  throw new CliError(`expected ${JSON.stringify(name)} among the ${list} of ${where}`);
}

function text(value: ValueObject, member: string): string | undefined {
  const found = value[member];
  return typeof found === "string" && found !== "" ? found : undefined;
}

function needed({ file, value }: Named, member: string): string {
  const found = text(value, member);
  if (found === undefined) throw new CliError(`expected ${member} in ${file}, found none`);
  return found;
}

function serverOf(cluster: Named): NodeTransportOptions {
  const insecure = cluster.value["insecure-skip-tls-verify"] === true;
  if (text(cluster.value, "proxy-url") !== undefined) {
    throw new CliError(`expected no proxy-url in ${cluster.file}: proxies are not supported`);
  }
  return {
    url: needed(cluster, "server"),
    // Who accepts any certificate must not name those that count, as with kubectl.
    ca: insecure ? undefined : pem(cluster, "certificate-authority"),
    insecure,
    serverName: text(cluster.value, "tls-server-name"),
  };
}

const FOREIGN = ["exec", "auth-provider", "username"];

function credentialsOf(user: Named): Pick<NodeTransportOptions, "cert" | "key" | "token"> {
  const foreign = FOREIGN.find((member) => user.value[member] !== undefined);
  if (foreign !== undefined) {
    throw new CliError(
      `expected a token or a client certificate for the user in ${user.file}; ${foreign} is not supported`,
    );
  }
  return { cert: pem(user, "client-certificate"), key: pem(user, "client-key"), token: tokenOf(user) };
}

function tokenOf(user: Named): string | undefined {
  const inline = text(user.value, "token");
  if (inline !== undefined) return inline;
  const path = text(user.value, "tokenFile");
  return path === undefined ? undefined : readBeside(user.file, path).trim();
}

/** A PEM text: inline as base64 in `<member>-data`, or in a file that is named from where the kubeconfig is. */
function pem(named: Named, member: string): string | undefined {
  const inline = text(named.value, `${member}-data`);
  if (inline !== undefined) return Buffer.from(inline, "base64").toString("latin1");
  const path = text(named.value, member);
  return path === undefined ? undefined : readBeside(named.file, path);
}

function readBeside(kubeconfig: string, path: string): string {
  const file = resolve(dirname(kubeconfig), path);
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CliError(`expected the file ${file} that ${kubeconfig} names: ${(cause as Error).message}`, { cause });
  }
}
