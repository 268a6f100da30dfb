/**
 * The code of the protocol, loaded by the first call: the messages and their libraries take tens of milliseconds and many
 * MiB, which a process without a driver saves. The light parts need no loading: types, and the numbers of `terms.ts`.
 *
 * @module
 */
import { once } from "../util/once.ts";

/** The loaded code. */
export type Protocol = Awaited<ReturnType<typeof loadProtocol>>;

/** Loads the code, once. */
export const loadProtocol = once(async () => ({
  connect: await import("@connectrpc/connect"),
  connectNode: await import("@connectrpc/connect-node"),
  csi: await import("./generated/csi_pb.js"),
  registration: await import("./generated/pluginregistration_pb.js"),
}));
