/** Clients for a kubeconfig, or for the Pod of the program. */
import { Client, type ClientOptions } from "../client.ts";
import type { ChosenContext } from "./context.ts";
import { SERVICE_ACCOUNT, inClusterContext } from "./in-cluster.ts";
import { chooseContext, openContext } from "./open.ts";

export { KubeconfigError } from "./error.ts";

/** The options of a connection. */
export interface ConnectionOptions extends Partial<Omit<ClientOptions, "token" | "local">> {
  /** The environment of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder of a service account. */
  readonly serviceAccount?: string;
}

/** The options of {@link fromKubeconfig}. */
export interface KubeconfigOptions extends ConnectionOptions {
  /** A file. By default the first of `KUBECONFIG`, `~/.kube/config`, and the service account of a Pod. */
  readonly path?: string;
  /** The text of a kubeconfig in place of a file; its paths are relative to the working directory. */
  readonly text?: string;
  /** The name of a context; `current-context` by default. */
  readonly context?: string;
}

/** A client with its context. */
export interface Connection extends Disposable {
  readonly client: Client;
  /** The namespace of the context; `default` by default. */
  readonly namespace: string;
  /** The name of the context; `in-cluster` in a Pod. */
  readonly context: string;
  /** The address of the server. */
  readonly server: string;
  /** Closes idle connections. */
  close(): void;
}

const AGENT = "keelson-client";

/**
 * Returns a client for a kubeconfig, as kubectl reads it: certificates, tokens, token files and exec plugins.
 *
 *     const { client, namespace } = await fromKubeconfig();
 *     const { items } = await client.resource(Pod).list({ namespace });
 *
 * It sends no request and runs no plugin yet. Several files in `KUBECONFIG` are merged.
 *
 * @throws KubeconfigError that names the file and the invalid field
 */
export async function fromKubeconfig(options: KubeconfigOptions = {}): Promise<Connection> {
  const { path, text, context, env = process.env, serviceAccount } = options;
  return connect(await chooseContext({ kubeconfig: path, text, context, env, serviceAccount }), options);
}

/**
 * Returns a client for the service account of a Pod; its token is read again every minute.
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
