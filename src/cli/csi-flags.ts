import type { Duration } from "../util/duration.ts";
import type { Actions } from "./actions.ts";
import type { ConnectFlags } from "./connect-flags.ts";

/** The parts of `keelson csi`, in the order of help. */
export const CSI_PARTS = [
  "provisioner",
  "attacher",
  "resizer",
  "modifier",
  "snapshotter",
  "snapshot-controller",
  "registration",
] as const;

/** A part of `keelson csi`. */
export type CsiPart = (typeof CSI_PARTS)[number];

/** The flags of `keelson csi`; see `sidecars/sidecar.ts`. */
export interface CsiFlags extends ConnectFlags {
  readonly driver: string;
  readonly server?: string;
  readonly token?: string;
  readonly only?: readonly CsiPart[];
  readonly agentDir?: string;
  readonly node?: string;
  readonly capacity?: boolean;
  readonly capacityPollInterval: Duration;
  readonly capacityForImmediateBinding?: boolean;
  readonly timeout: Duration;
  readonly retryIntervalStart: Duration;
  readonly retryIntervalMax: Duration;
  readonly workers: number;
  readonly defaultFstype?: string;
  readonly extraCreateMetadata?: boolean;
  readonly extraModifyMetadata?: boolean;
  readonly strictTopology?: boolean;
  readonly immediateTopology: boolean;
  readonly controllerPublishReadonly?: boolean;
  readonly volumeNamePrefix: string;
  readonly snapshotNamePrefix: string;
  readonly leaderElection?: boolean;
  readonly verbose?: boolean;
}

/** The part of the actions that `keelson csi` needs. */
export interface CsiActions extends Pick<Actions, "csi" | "version"> {
  readonly terminal: Pick<Actions["terminal"], "env">;
}
