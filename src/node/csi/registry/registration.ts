/**
 * One registration of a driver: who it is, and what it says of the node (CSIN-23 to CSIN-25).
 *
 * @module
 */
import { type Driver, openDriver } from "../../../csi/driver.ts";
import { CSI_PLUGIN, type RegistrationClient } from "../../../csi/registration.ts";
import type { Clock } from "../../../util/clock.ts";
import type { NodeFacts } from "./node-objects.ts";
import { type Version, highestOf } from "./versions.ts";

/** Who wants to be registered. */
export interface Applicant {
  readonly name: string;
  /** The driver's own socket. */
  readonly endpoint: string;
  readonly version: Version;
}

/** How long a registrar may take to answer: it says what it knows, and while it is silent others wait. */
export const PATIENCE_MS = 10_000;

/** Asks who stands behind a socket. @throws Error where that is no driver that can be spoken with */
export async function applicantOf(
  { calls }: RegistrationClient,
  { socket, signal }: { readonly socket: string; readonly signal: AbortSignal },
): Promise<Applicant> {
  const { type, name, endpoint, supportedVersions } = await calls.getInfo({}, { signal, deadlineMs: PATIENCE_MS });
  if (type !== CSI_PLUGIN) throw new Error(`expected a plugin of the type ${CSI_PLUGIN}, got ${JSON.stringify(type)}`);
  if (!NAME.test(name)) throw new Error(`expected the name of a driver, got ${JSON.stringify(name)}`);
  const version = highestOf(supportedVersions);
  if (!version) {
    throw new Error(
      `expected the driver ${name} to support a version 1.x, it supports ${supportedVersions.join(", ") || "none"}`,
    );
  }
  return { name, endpoint: endpoint === "" ? socket : endpoint, version };
}

/** As the protocol and the API want names of drivers. */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9.]{0,61}[A-Za-z0-9])?$/;

/** What a driver says of the node (CSIN-25, CSIN-26). @throws Error where it does not know the node */
export async function factsOf(driver: Driver, signal: AbortSignal): Promise<NodeFacts> {
  const { nodeId, maxVolumesPerNode, accessibleTopology } = await driver.node.nodeGetInfo({}, { signal });
  if (nodeId === "")
    throw new Error("expected NodeGetInfo to say what the driver calls the node, its node_id is empty");
  return { nodeId, topology: { ...accessibleTopology?.segments }, count: countOf(maxVolumesPerNode) };
}

const LARGEST = 2 ** 31 - 1;

/** A count as a CSINode can say it: none where there is no limit. */
const countOf = (most: bigint): number | undefined => (most > 0n ? Number(most > LARGEST ? LARGEST : most) : undefined);

/** A connection to a driver; nothing is connected yet. */
export const connectionTo = ({ endpoint }: Applicant, clock: Clock): Driver => openDriver(endpoint, { clock });
