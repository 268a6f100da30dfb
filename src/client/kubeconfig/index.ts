/**
 * Clients as a kubeconfig, or the Pod that the program runs in, says.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { systemClock } from "../../util/clock.ts";
import { Client, type ClientOptions } from "../client.ts";
import { http2Transport } from "../transport-http2.ts";
import type { NodeTransport } from "../transport-node.ts";
import { type ChosenContext, type KubeconfigChoice, candidatesOf, contextOf } from "./context.ts";
import { type CredentialSource, fileTokens, transportWith } from "./credentials.ts";
import { SERVICE_ACCOUNT, clusterAround, isInCluster } from "./in-cluster.ts";

export { KubeconfigError } from "./error.ts";

/** What a client of a kubeconfig is told beside it. */
export interface ConnectionOptions extends Partial<Omit<ClientOptions, "token" | "local">> {
  /** The environment; that of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the files of a service account lie, in a Pod. */
  readonly serviceAccount?: string;
}

/** Where a kubeconfig is, and what of it counts. */
export interface KubeconfigOptions extends ConnectionOptions {
  /** A file. By default those of `KUBECONFIG`, `~/.kube/config`, or what a Pod knows of its cluster: the first that is there. */
  readonly path?: string;
  /** The text of a kubeconfig in place of a file; what it names is looked for from the working directory. */
  readonly text?: string;
  /** A context by its name; `current-context` by default. */
  readonly context?: string;
}

/** A client, and where its user works. */
export interface Connection extends Disposable {
  readonly client: Client;
  /** The namespace of the context, `default` where it says none. */
  readonly namespace: string;
  /** The name of the context; `in-cluster` in a Pod. */
  readonly context: string;
  /** The address of the server. */
  readonly server: string;
  /** Ends the connections that no request uses. */
  close(): void;
}

const AGENT = "keelson-client";

/**
 * A client of the server that a kubeconfig names, as kubectl would reach it: certificates, tokens, files of tokens and exec plugins.
 *
 *     const { client, namespace } = await fromKubeconfig();
 *     const { items } = await client.resource(Pod).list({ namespace });
 *
 * Nothing is sent yet, and no plugin is run. Several files in `KUBECONFIG` are one.
 *
 * @throws KubeconfigError that names the file and the member which is not as it should be
 */
export async function fromKubeconfig(options: KubeconfigOptions = {}): Promise<Connection> {
  const { path, text, context, env = process.env, serviceAccount = SERVICE_ACCOUNT } = options;
  const isAnyhere = path !== undefined || text !== undefined || candidatesOf({ env }).some((file) => existsSync(file));
  if (!isAnyhere && isInCluster(env, serviceAccount)) return inCluster(options);
  return connect(await chosen({ kubeconfig: path, text, context, env }), options);
}

/**
 * A client for a program that runs in a Pod, as its service account; its token is read again every minute.
 *
 * @throws KubeconfigError outside of a Pod
 */
export function inCluster(options: ConnectionOptions = {}): Promise<Connection> {
  const { env = process.env, serviceAccount = SERVICE_ACCOUNT } = options;
  return connect(clusterAround(env, serviceAccount), options);
}

async function chosen(choice: KubeconfigChoice): Promise<ChosenContext> {
  // Most programs never read YAML.
  const { decodeYaml } = await import("../../value/yaml.ts");
  return contextOf(choice, (text) => decodeYaml(text).value);
}

async function connect(context: ChosenContext, options: ConnectionOptions): Promise<Connection> {
  const { env: _, serviceAccount: _folder, ...rest } = options;
  const transport = await transportOf(context, options);
  const close = (): void => transport.close();
  return {
    client: new Client(transport, { userAgent: AGENT, ...rest }),
    namespace: context.namespace,
    context: context.name,
    server: context.transport.url,
    close,
    [Symbol.dispose]: close,
  };
}

async function transportOf(context: ChosenContext, options: ConnectionOptions): Promise<NodeTransport> {
  const source = await sourceOf(context, options);
  const { token } = context.user;
  return source ? transportWith(context.transport, source) : http2Transport({ ...context.transport, token });
}

/** Where credentials come from that change; a token that is written down does not. */
async function sourceOf(
  { user: { token, tokenFile, exec } }: ChosenContext,
  { clock = systemClock, env = process.env }: ConnectionOptions,
): Promise<CredentialSource | undefined> {
  if (tokenFile !== undefined) return fileTokens(tokenFile, token, clock);
  if (token !== undefined || exec === undefined) return undefined;
  const { execCredentials } = await import("./exec.ts");
  return execCredentials(exec, { clock, env });
}
