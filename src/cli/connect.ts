import { Client } from "../client/client.ts";
import type { ChosenContext } from "../client/kubeconfig/context.ts";
import { NoKubeconfigError } from "../client/kubeconfig/error.ts";
import { chooseContext, openContext } from "../client/kubeconfig/open.ts";
import type { Transport } from "../client/transport.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import type { ConnectFlags } from "./connect-flags.ts";

/** A client of a server, with the namespace of the command. */
export interface Connection extends Disposable {
  readonly client: Client;
  /** For requests outside the API. */
  readonly transport: Transport;
  /** The address of the server. */
  readonly server: string;
  readonly namespace: string;
}

/** The part of the actions that a connection needs. */
export interface ConnectActions extends Pick<Actions, "version" | "inProcess"> {
  readonly terminal: Pick<Actions["terminal"], "env">;
}

/** The flags for a server by its address, instead of a kubeconfig. */
export interface AddressFlags extends ConnectFlags {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Creates a client from flags and kubeconfig, or of the server in the same process; it sends nothing yet, and runs no plugin.
 *
 * @param agent the name of the program in the user agent
 * @throws KubeconfigError that names the file and the member; CliError if there is no kubeconfig
 */
export async function connect(actions: ConnectActions, flags: AddressFlags, agent = "keelson"): Promise<Connection> {
  const { inProcess } = actions;
  if (inProcess) {
    return {
      client: new Client(inProcess, { userAgent: `${agent}/${actions.version}` }),
      transport: inProcess,
      server: "",
      namespace: flags.namespace ?? "default",
      [Symbol.dispose]: () => {},
    };
  }
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
