/**
 * From the flags of `keelson csi` to the sidecars of a driver.
 *
 * @module
 */
import { Client } from "../client/client.ts";
import { nodeTransport } from "../client/transport-node.ts";
import { CliError } from "./cli-error.ts";
import type { Connection } from "./connect.ts";
import type { CsiActions, CsiFlags } from "./csi-flags.ts";
import { readKubeconfigLightly } from "./kubeconfig-light.ts";

/** Runs until it is stopped; rejects where it cannot go on. */
export async function runCsi(actions: CsiActions, flags: CsiFlags): Promise<void> {
  const { driver, only, agentDir, leaderElection = false, verbose = false } = flags;
  if (only?.includes("registration") === true && agentDir === undefined) {
    throw new CliError("expected --agent-dir with --only registration: it says where the agent of the node looks", {
      usage: true,
    });
  }
  if (flags.node !== undefined && only?.some((part) => part.startsWith("snapshot")) === true) {
    throw new CliError("expected no snapshots with --node: run them once for the driver, without it", { usage: true });
  }
  using connection = await connected(actions, flags);
  const { client, namespace } = connection;
  const { defaultFstype: fsType } = flags;
  await actions.csi({
    client,
    namespace,
    driver,
    only,
    agentDir,
    node: flags.node,
    leaderElection,
    verbose,
    settings: {
      timeout: flags.timeout,
      retry: { first: flags.retryIntervalStart, most: flags.retryIntervalMax },
      workers: flags.workers,
      ...(fsType === undefined ? {} : { defaultFsType: fsType }),
      extraCreateMetadata: flags.extraCreateMetadata === true,
      extraModifyMetadata: flags.extraModifyMetadata === true,
      strictTopology: flags.strictTopology === true,
      immediateTopology: flags.immediateTopology,
      controllerPublishReadOnly: flags.controllerPublishReadonly === true,
      volumeNamePrefix: flags.volumeNamePrefix,
      snapshotNamePrefix: flags.snapshotNamePrefix,
      capacity:
        flags.capacity === true
          ? {
              namespace,
              pollInterval: flags.capacityPollInterval,
              forImmediateBinding: flags.capacityForImmediateBinding === true,
            }
          : undefined,
    },
  });
}

async function connected({ version, terminal }: CsiActions, flags: CsiFlags): Promise<Connection> {
  const { env } = terminal;
  const { server: url, token = env["KEELSON_TOKEN"], kubeconfig, context } = flags;
  const chosen =
    url === undefined
      ? await readKubeconfigLightly({ kubeconfig, context, env })
      : { transport: { url, token }, namespace: "default" };
  const transport = nodeTransport(chosen.transport);
  return {
    client: new Client(transport, { userAgent: `keelson-csi/${version}` }),
    namespace: flags.namespace ?? chosen.namespace,
    [Symbol.dispose]: () => transport.close(),
  };
}
