/**
 * From flags and environment to a client of the server that a kubeconfig names.
 *
 * @module
 */
import { Client } from "../client/client.ts";
import { nodeTransport } from "../client/transport-node.ts";
import type { Actions } from "./actions.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { readKubeconfig } from "./kubeconfig-file.ts";

/** A client and where it works. */
export interface Connection extends Disposable {
  readonly client: Client;
  readonly namespace: string;
}

/** Connects as the kubeconfig says; nothing is sent yet. */
export function connect(actions: Pick<Actions, "version" | "terminal">, flags: ConnectFlags): Connection {
  const { kubeconfig, context, namespace } = flags;
  const chosen = readKubeconfig({ kubeconfig, context, env: actions.terminal.env });
  const transport = nodeTransport(chosen.transport);
  return {
    client: new Client(transport, { userAgent: `keelson/${actions.version}` }),
    namespace: namespace ?? chosen.namespace,
    [Symbol.dispose]: () => transport.close(),
  };
}
