/**
 * Reads the server, the credentials and the namespace from kubeconfig files.
 *
 * As in kubectl: the named file, else those of `KUBECONFIG` (merged; the first value of a name counts), else
 * `~/.kube/config`. Paths in a file are relative to it.
 */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type ValueObject, isObject } from "../../value/value.ts";
import type { NodeTransportOptions } from "../transport-node.ts";
import { proxyUrl } from "../transport-proxy.ts";
import { KubeconfigError, NoKubeconfigError } from "./error.ts";
import { type ExecPlugin, execPluginOf } from "./exec-plugin.ts";
import { messageOf } from "../../util/error.ts";
import { homeDirectory } from "../../util/home-directory.ts";

/** The files and the context. */
export interface KubeconfigChoice {
  readonly kubeconfig?: string | undefined;
  /** A text in place of files. */
  readonly text?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A server, the options of its transport, the user and the namespace. */
export interface ChosenContext {
  readonly name: string;
  /** The options that do not change while a client runs. */
  readonly transport: NodeTransportOptions;
  readonly user: ChosenUser;
  readonly namespace: string;
}

/** The credentials that may change. */
export interface ChosenUser {
  readonly token?: string | undefined;
  /** A token file, which may be rewritten at any time. */
  readonly tokenFile?: string | undefined;
  readonly exec?: ExecPlugin | undefined;
}

/** Decodes a file. @throws where it is not YAML */
export type Decode = (text: Uint8Array) => unknown;

/** Reads the files and returns the context. @throws KubeconfigError that names the file and the field */
export const contextOf = (choice: KubeconfigChoice, decode: Decode): ChosenContext =>
  chooseContext(filesOf(choice, decode), choice.context);

/** Returns the names of all contexts. @throws KubeconfigError that names the file */
export const contextNamesOf = (choice: KubeconfigChoice, decode: Decode): readonly string[] =>
  filesOf(choice, decode).flatMap(({ value: { contexts } }) =>
    (Array.isArray(contexts) ? contexts : []).flatMap((entry) => (isObject(entry) ? (text(entry, "name") ?? []) : [])),
  );

/** A value in a kubeconfig, and its file. */
interface Named {
  readonly file: string;
  readonly value: ValueObject;
}

/** Returns the default files; none for a user without a home directory. */
export function candidatesOf({ env }: Pick<KubeconfigChoice, "env">): readonly string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return listed;
  const home = env["HOME"] || homeDirectory();
  return home === undefined ? [] : [join(home, ".kube", "config")];
}

function filesOf(choice: KubeconfigChoice, decode: Decode): Named[] {
  if (choice.text !== undefined) return [read(Buffer.from(choice.text), resolve("the text"), decode)];
  if (choice.kubeconfig !== undefined) return [readFile(choice.kubeconfig, decode)];
  const candidates = candidatesOf(choice);
  const files = candidates.filter((file) => existsSync(file));
  if (files.length > 0) return files.map((file) => readFile(file, decode));
  if (candidates.length === 0)
    throw new NoKubeconfigError("expected KUBECONFIG or HOME to be set: this user has no home directory");
  throw new NoKubeconfigError(`expected a kubeconfig at ${candidates.join(", ")}, found none`);
}

function readFile(file: string, decode: Decode): Named {
  try {
    return read(readFileSync(file), file, decode);
  } catch (cause) {
    if (cause instanceof KubeconfigError) throw cause;
    throw new KubeconfigError(`expected ${file} to be a kubeconfig: ${messageOf(cause)}`, { cause });
  }
}

function read(bytes: Uint8Array, file: string, decode: Decode): Named {
  let value: unknown;
  try {
    value = decode(bytes);
  } catch (cause) {
    const why = messageOf(cause);
    throw new KubeconfigError(`expected ${file} to be a kubeconfig: ${why}`, { cause });
  }
  if (isObject(value)) return { file, value };
  throw new KubeconfigError(`expected ${file} to be a kubeconfig, found no map in it`);
}

function chooseContext(files: readonly Named[], asked: string | undefined): ChosenContext {
  const current = files.map(({ value }) => text(value, "current-context")).find((name) => name !== undefined);
  const name = asked ?? current;
  const where = files.map(({ file }) => file).join(", ");
  if (name === undefined) throw new KubeconfigError(`expected current-context in ${where}, or the name of a context`);
  const context = find(files, "contexts", "context", name);
  const cluster = find(files, "clusters", "cluster", required(context, "cluster"));
  const userName = text(context.value, "user");
  const user = userName === undefined ? undefined : find(files, "users", "user", userName);
  return {
    name,
    transport: { ...serverOf(cluster), ...(user ? staticCredentialsOf(user) : {}) },
    user: user ? credentialsOf(user, cluster) : {},
    namespace: text(context.value, "namespace") ?? "default",
  };
}

/** Finds the entry of a name in a list, in the first file that has it. */
function find(files: readonly Named[], list: string, member: string, name: string): Named {
  for (const { file, value } of files) {
    const entries = value[list];
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (!isObject(entry) || entry["name"] !== name) continue;
      const found = entry[member] ?? {};
      if (!isObject(found))
        throw new KubeconfigError(`expected ${member} of ${list} ${JSON.stringify(name)} in ${file} to be a map`);
      return { file, value: found };
    }
  }
  const where = files.map(({ file }) => file).join(", ");
  throw new KubeconfigError(`expected ${JSON.stringify(name)} among the ${list} of ${where}`);
}

function text(value: ValueObject, member: string): string | undefined {
  const found = value[member];
  return typeof found === "string" && found !== "" ? found : undefined;
}

function required({ file, value }: Named, member: string): string {
  const found = text(value, member);
  if (found === undefined) throw new KubeconfigError(`expected ${member} in ${file}, found none`);
  return found;
}

function serverOf(cluster: Named): NodeTransportOptions {
  const insecure = cluster.value["insecure-skip-tls-verify"] === true;
  return {
    url: required(cluster, "server"),
    // `insecure` excludes certificate authorities, as in kubectl.
    ca: insecure ? undefined : pem(cluster, "certificate-authority"),
    insecure,
    serverName: text(cluster.value, "tls-server-name"),
    ...proxyOf(cluster),
  };
}

/** Without it the environment decides. */
function proxyOf(cluster: Named): Pick<NodeTransportOptions, "proxy"> {
  const proxy = text(cluster.value, "proxy-url");
  if (proxy === undefined) return {};
  try {
    proxyUrl(proxy);
  } catch (cause) {
    throw new KubeconfigError(`proxy-url in ${cluster.file}: ${messageOf(cause)}`, { cause });
  }
  return { proxy };
}

/** The credentials of a user that do not change: certificate, password and impersonation. */
function staticCredentialsOf(user: Named): Pick<NodeTransportOptions, "cert" | "key" | "headers"> {
  if (user.value["auth-provider"] !== undefined) {
    throw new KubeconfigError(
      `expected no auth-provider for the user in ${user.file}: it is not supported, use an exec plugin`,
    );
  }
  const [username, password = ""] = [text(user.value, "username"), text(user.value, "password")];
  const basic = username === undefined ? undefined : Buffer.from(`${username}:${password}`).toString("base64");
  const headers = { ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }), ...impersonation(user) };
  return {
    cert: pem(user, "client-certificate"),
    key: pem(user, "client-key"),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
}

/** The impersonation headers: `as`, `as-uid`, `as-groups`, `as-user-extra`. */
function impersonation({ file, value }: Named): Record<string, string | string[]> {
  const extra = value["as-user-extra"] ?? {};
  if (!isObject(extra)) throw new KubeconfigError(`expected as-user-extra in ${file} to be a map`);
  const entries = Object.entries({
    "impersonate-user": value["as"],
    "impersonate-uid": value["as-uid"],
    "impersonate-group": value["as-groups"],
  }).concat(Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, values]));
  return Object.fromEntries(
    entries.flatMap(([name, said]) => {
      const values = [said ?? []].flat().map((one) => {
        if (typeof one === "string") return Buffer.from(one).toString("latin1");
        throw new KubeconfigError(`expected texts as ${name} of the user in ${file}, got ${JSON.stringify(one)}`);
      });
      return values.length === 0 ? [] : [[name, values]];
    }),
  );
}

function credentialsOf(user: Named, cluster: Named): ChosenUser {
  const tokenFile = text(user.value, "tokenFile");
  const { exec } = user.value;
  return {
    token: text(user.value, "token"),
    tokenFile: tokenFile === undefined ? undefined : pathBeside(user.file, tokenFile),
    exec: exec == null ? undefined : execPluginOf(exec, user.file, clusterInfo(cluster)),
  };
}

function clusterInfo(cluster: Named): object {
  const { extensions } = cluster.value;
  const named = (Array.isArray(extensions) ? extensions : []).find(
    (one) => isObject(one) && one["name"] === "client.authentication.k8s.io/exec",
  );
  const ca = pem(cluster, "certificate-authority");
  const serverName = text(cluster.value, "tls-server-name");
  const url = text(cluster.value, "proxy-url");
  const proxy = url === undefined ? {} : { "proxy-url": url };
  return {
    server: required(cluster, "server"),
    ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
    ...(cluster.value["insecure-skip-tls-verify"] === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca, "latin1").toString("base64") }),
    ...proxy,
    ...(isObject(named) && named["extension"] != null ? { config: named["extension"] } : {}),
  };
}

/** Returns a PEM text: inline as base64 in `<member>-data`, or from a file. */
function pem(named: Named, member: string): string | undefined {
  const inline = text(named.value, `${member}-data`);
  if (inline !== undefined) return Buffer.from(inline, "base64").toString("latin1");
  const path = text(named.value, member);
  return path === undefined ? undefined : readBeside(named.file, pathBeside(named.file, path));
}

const pathBeside = (kubeconfig: string, path: string): string => resolve(dirname(kubeconfig), path);

/** Reads a file that a kubeconfig names. @throws KubeconfigError */
function readBeside(kubeconfig: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new KubeconfigError(`expected the file ${file} that ${kubeconfig} names: ${messageOf(cause)}`, {
      cause,
    });
  }
}
