import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { CsiActions, CsiFlags } from "./csi-flags.ts";

/** Runs the sidecars of a driver until they are stopped; rejects if they fail. */
export async function runCsi(actions: CsiActions, flags: CsiFlags): Promise<void> {
  const { driver, only, agentDir, leaderElection = false, verbose = false } = flags;
  if (only?.includes("registration") === true && agentDir === undefined) {
    throw new CliError("expected --agent-dir with --only registration: the directory of the agent of the node", {
      usage: true,
    });
  }
  if (flags.node !== undefined && only?.some((part) => part.startsWith("snapshot")) === true) {
    throw new CliError("expected no snapshots with --node: run them once for the driver, without it", { usage: true });
  }
  const { token = actions.terminal.env["KEELSON_TOKEN"] } = flags;
  using connection = await connect(actions, { ...flags, token }, "keelson-csi");
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
