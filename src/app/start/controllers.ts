/**
 * The controllers of a server, and the upkeep of a store that several servers share.
 *
 * @module
 */
import type { Cluster } from "../../cluster/index.ts";
import { type ControllerSettings, builtInControllers, chooseControllers } from "../../controllers/index.ts";
import type { Controller } from "../../runtime/index.ts";
import type { Store } from "../../storage/contract.ts";
import { OptionError } from "../options/error.ts";
import type { ChosenOptions, ServerParts } from "./server-parts.ts";
import { startUpkeep } from "../storage/upkeep.ts";

/** What controllers sign with; nothing is signed where only their names are looked at. */
type GivenToControllers = Pick<ControllerSettings, "caCertificate" | "signingCa" | "secretTokens">;

const noCa = (): never => {
  throw new Error("expected no controller to sign before the server has a CA");
};

/** Checks the names that the options have. @throws OptionError for a name that no controller has */
export const checkControllerNames = (options: ChosenOptions): void =>
  void chosenControllers(options, { caCertificate: "", signingCa: noCa });

function chosenControllers(options: ChosenOptions, given: GivenToControllers): readonly Controller[] {
  const { dialect, eventTtlMillis, forceDetach, endedPods, controllers } = options;
  const all = builtInControllers({ dialect, eventTtlMillis, forceDetach, endedPods, ...given });
  try {
    return chooseControllers(all, controllers);
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

/** Starts the controllers; on one server only, where several share the store. */
export async function startControllers(cluster: Cluster, store: Store, parts: ServerParts): Promise<void> {
  const { options, pki, authentication, around } = parts;
  if (options.readOnly) return;
  const chosen = chosenControllers(options, {
    caCertificate: options.insecureHttp ? "" : pki.trust,
    signingCa: () => pki.ca,
    secretTokens: (namespace, account, secret) => authentication.signer().signForSecret(namespace, account, secret),
  });
  const starting = cluster.start(chosen, { isShared: store.isShared === true, freeze: false });
  // A list that holds what cannot be read fails until that is gone: the server answers meanwhile.
  if (cluster.unreadable().length === 0) await starting;
  else starting.catch((error: unknown) => around.log.error("controllers could not start", { error: String(error) }));
}

/** Starts to compact a store that is shared; any other store compacts itself. */
export function keepHistory(cluster: Cluster, store: Store, { options, around, opened }: ServerParts): void {
  if (store.isShared !== true || options.readOnly) return;
  const client = cluster.client("keelson-upkeep");
  const upkeep = startUpkeep({ store, millis: options.historyMillis, client, dialect: options.dialect, ...around });
  opened.defer(() => upkeep.stop());
}
