/**
 * Clients as a kubeconfig, or the Pod that the program runs in, says.
 *
 * @module
 */
import { Client, type ClientOptions } from "../client.ts";
import type { ChosenContext } from "./context.ts";
import { SERVICE_ACCOUNT, inClusterContext } from "./in-cluster.ts";
import { chooseContext, openContext } from "./open.ts";

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
  const { path, text, context, env = process.env, serviceAccount } = options;
  return connect(await chooseContext({ kubeconfig: path, text, context, env, serviceAccount }), options);
}

/**
 * A client for a program that runs in a Pod, as its service account; its token is read again every minute.
 *
 * @throws KubeconfigError outside of a Pod
 */
export async function inCluster(options: ConnectionOptions = {}): Promise<Connection> {
  const { env = process.env, serviceAccount = SERVICE_ACCOUNT } = options;
  return connect(inClusterContext(env, serviceAccount), options);
}

function connect(context: ChosenContext, options: ConnectionOptions): Connection {
  const { env, serviceAccount: _folder, ...rest } = options;
  const transport = openContext(context, { env, clock: rest.clock });
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
