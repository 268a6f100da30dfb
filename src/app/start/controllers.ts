/**
 * Starts the controllers of a server, and the compaction of a store that several servers share.
 *
 * @module
 */
import type { Cluster } from "../../cluster/index.ts";
import { type ControllerSettings, builtInControllers, chooseControllers } from "../../controllers/index.ts";
import { isControllerChosen } from "../../controllers/names.ts";
import type { Controller } from "../../runtime/index.ts";
import type { Store } from "../../storage/contract.ts";
import { OptionError } from "../options/error.ts";
import type { ChosenOptions, ServerParts } from "./server-parts.ts";
import { startCompaction } from "../storage/compaction.ts";
import { messageOf } from "../../util/error.ts";

/** The settings that do not come from options. */
type ServerSettings = Pick<
  ControllerSettings,
  "caCertificate" | "signingCa" | "secretTokens" | "sharesStore" | "wallTime"
>;

const noCa = (): never => {
  throw new Error("expected no controller to sign before the server has a CA");
};

/** Checks the names of controllers in the options. @throws OptionError for an unknown name */
export const checkControllerNames = (options: ChosenOptions): void =>
  void chosenControllers(options, { caCertificate: "", signingCa: noCa });

/** The default controllers, with the scheduler where there are simulated nodes: no other program would schedule their Pods. */
function withScheduler(names: readonly string[], isSimulated: boolean): readonly string[] {
  return isSimulated && isControllerChosen(names, "scheduler") ? [...names, "scheduler"] : names;
}

/** The controllers of the options, with the scheduler where nodes are simulated. @throws OptionError for an unknown name */
export function chosenControllers(
  options: ChosenOptions,
  server: ServerSettings,
  isSimulated = false,
): readonly Controller[] {
  const { dialect, eventTtlMillis, forceDetach, endedPods } = options;
  const { autoscalerSyncMillis, loadBalancerAddresses } = options;
  const workloads = { autoscalerSyncMillis, loadBalancerAddresses };
  const all = builtInControllers({ dialect, eventTtlMillis, forceDetach, endedPods, ...workloads, ...server });
  try {
    return chooseControllers(all, withScheduler(options.controllers, isSimulated));
  } catch (error) {
    throw new OptionError(messageOf(error));
  }
}

/** Starts the controllers; of servers that share a store, only one runs them. */
export async function startControllers(cluster: Cluster, store: Store, parts: ServerParts): Promise<void> {
  const { options, pki, authentication, system, simulated } = parts;
  if (options.readOnly) return;
  const isShared = store.isShared === true;
  const settings: ServerSettings = {
    sharesStore: isShared,
    caCertificate: options.insecureHttp ? "" : pki.trust,
    signingCa: () => pki.ca,
    wallTime: () => system.clock.now(),
    secretTokens: (namespace, account, secret) => authentication.signer().signForSecret(namespace, account, secret),
  };
  const chosen = chosenControllers(options, settings, simulated.simulation !== undefined);
  const starting = cluster.start([...chosen, ...cluster.simulationControllers()], { isShared, freeze: false });
  // Lists with unreadable records fail until the records are readable; the server serves requests meanwhile.
  if (cluster.unreadable().length === 0) await starting;
  else starting.catch((error: unknown) => system.log.error("controllers could not start", { error: String(error) }));
}

/** Starts to compact a shared store; other stores compact themselves. */
export function compactSharedStore(cluster: Cluster, store: Store, { options, system, opened }: ServerParts): void {
  if (store.isShared !== true || options.readOnly) return;
  const client = cluster.client("keelson-upkeep");
  const compaction = startCompaction({
    store,
    millis: options.historyMillis,
    client,
    dialect: options.dialect,
    ...system,
  });
  opened.defer(() => compaction.stop());
}
