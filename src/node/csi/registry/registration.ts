/**
 * One registration of a driver: its name, its endpoint, and what it reports about the node (CSIN-23 to CSIN-25).
 *
 * @module
 */
import { type Driver, openDriver } from "../../../csi/driver.ts";
import { CSI_PLUGIN, type RegistrationClient } from "../../../csi/registration.ts";
import type { Clock } from "../../../util/clock.ts";
import type { NodeFacts } from "./node-objects.ts";
import { type Version, highestOf } from "./versions.ts";

/** A driver that wants to be registered. */
export interface Applicant {
  readonly name: string;
  /** The driver's own socket. */
  readonly endpoint: string;
  readonly version: Version;
}

/** The deadline of a registrar: it needs no work to respond, and others wait for it. */
export const REGISTRAR_TIMEOUT_MS = 10_000;

/** Sends the request for its information to the driver behind a socket. @throws Error for another plugin, or an unsupported version */
export async function applicantOf(
  { calls }: RegistrationClient,
  { socket, signal }: { readonly socket: string; readonly signal: AbortSignal },
): Promise<Applicant> {
  const deadlineMs = REGISTRAR_TIMEOUT_MS;
  const { type, name, endpoint, supportedVersions } = await calls.getInfo({}, { signal, deadlineMs });
  if (type !== CSI_PLUGIN) throw new Error(`expected a plugin of the type ${CSI_PLUGIN}, got ${JSON.stringify(type)}`);
  if (!NAME.test(name)) throw new Error(`expected the name of a driver, got ${JSON.stringify(name)}`);
  const version = highestOf(supportedVersions);
  if (!version) {
    const found = supportedVersions.join(", ") || "none";
    throw new Error(`expected the driver ${name} to support a version 1.x, got ${found}`);
  }
  return { name, endpoint: endpoint === "" ? socket : endpoint, version };
}

/** The names of drivers that both the protocol and the API permit. */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9.]{0,61}[A-Za-z0-9])?$/;

/** What a driver reports about the node (CSIN-25, CSIN-26). @throws Error where it does not know the node */
export async function factsOf(driver: Driver, signal: AbortSignal): Promise<NodeFacts> {
  const { nodeId, maxVolumesPerNode, accessibleTopology } = await driver.node.nodeGetInfo({}, { signal });
  if (nodeId === "") throw new Error("expected NodeGetInfo to return a node_id, got an empty one");
  return { nodeId, topology: { ...accessibleTopology?.segments }, count: countOf(maxVolumesPerNode) };
}

const MAX_COUNT = 2 ** 31 - 1;

/** The count for a CSINode; undefined for no limit. */
const countOf = (max: bigint): number | undefined => (max > 0n ? Number(max > MAX_COUNT ? MAX_COUNT : max) : undefined);

/** A connection to a driver, which the first call opens. */
export const connectionTo = ({ endpoint }: Applicant, clock: Clock): Driver => openDriver(endpoint, { clock });
