/**
 * From flags and environment to a client of the server that they name.
 *
 * @module
 */
import { Client } from "../client/client.ts";
import type { ChosenContext } from "../client/kubeconfig/context.ts";
import { NoKubeconfigError } from "../client/kubeconfig/error.ts";
import { chooseContext, openContext } from "../client/kubeconfig/open.ts";
import type { Transport } from "../client/transport.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import type { ConnectFlags } from "./connect-flags.ts";

/** A client, where it leads and where it works. */
export interface Connection extends Disposable {
  readonly client: Client;
  /** For what is no object of the API. */
  readonly transport: Transport;
  /** The address of the server. */
  readonly server: string;
  readonly namespace: string;
}

/** What of the program a connection needs. */
export interface ConnectActions extends Pick<Actions, "version"> {
  readonly terminal: Pick<Actions["terminal"], "env">;
}

/** A server by its address, in place of that of a kubeconfig. */
export interface AddressFlags extends ConnectFlags {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Connects as flags and kubeconfig say, with all that a client of the library takes; nothing is sent yet, and no plugin is run.
 *
 * @param agent the name of the program, as the server is told it
 * @throws KubeconfigError that names the file and the member; CliError where there is no kubeconfig
 */
export async function connect(actions: ConnectActions, flags: AddressFlags, agent = "keelson"): Promise<Connection> {
  const { env } = actions.terminal;
  const chosen = await contextOf(flags, env);
  const transport = openContext(chosen, { env });
  return {
    client: new Client(transport, { userAgent: `${agent}/${actions.version}` }),
    transport,
    server: chosen.transport.url,
    namespace: flags.namespace ?? chosen.namespace,
    [Symbol.dispose]: () => transport.close(),
  };
}

async function contextOf(
  { server: url, token, kubeconfig, context }: AddressFlags,
  env: ConnectActions["terminal"]["env"],
): Promise<ChosenContext> {
  if (url !== undefined) return { name: "", transport: { url }, user: { token }, namespace: "default" };
  try {
    return await chooseContext({ kubeconfig, context, env });
  } catch (cause) {
    if (!(cause instanceof NoKubeconfigError)) throw cause;
    const where = "name one with --kubeconfig or KUBECONFIG, or print that of a server with keelson kubeconfig";
    throw new CliError(`${cause.message}; ${where}`, { cause });
  }
}
