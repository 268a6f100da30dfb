/** Host ports of Pods. */
import type { Pod } from "../../client/kinds/index.ts";

/** A host port of a Pod. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Empty for all addresses. */
  readonly address: string;
}

/** Returns the host ports of a Pod; init containers count only where they keep running. */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...(spec.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort = 0, protocol, hostIP = "" }) =>
    hostPort > 0 ? [{ port: hostPort, protocol, address: hostIP === "0.0.0.0" ? "" : hostIP }] : [],
  );
}

/** Whether two Pods on one node conflict over these ports. */
export const collides = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.address === "" || b.address === "" || a.address === b.address);
