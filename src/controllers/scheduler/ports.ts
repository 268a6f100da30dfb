/**
 * Ports of a node that Pods take for themselves.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";

/** A port that a Pod takes of its node. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Empty for all addresses of the node. */
  readonly address: string;
}

/** The ports that a Pod takes; those of containers that end before the others begin are not taken for long. */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  const beside = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...(spec.containers ?? []), ...beside].flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort = 0, protocol, hostIP = "" }) =>
    hostPort > 0 ? [{ port: hostPort, protocol, address: hostIP === "0.0.0.0" ? "" : hostIP }] : [],
  );
}

/** Whether two Pods on one node cannot have both of their ports. */
export const collides = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.address === "" || b.address === "" || a.address === b.address);
