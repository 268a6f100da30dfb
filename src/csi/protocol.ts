/**
 * The code behind the protocol, loaded when it is first needed: the messages and the libraries that carry them cost tens
 * of milliseconds and many MiB, which a process without a driver is spared. What is light stands beside it: `terms.ts`
 * has the numbers of the enumerations, and types cost nothing.
 *
 * @module
 */
import type * as connect from "@connectrpc/connect";
import type * as connectNode from "@connectrpc/connect-node";
import type * as csi from "./generated/csi_pb.js";
import type * as registration from "./generated/pluginregistration_pb.js";
import { once } from "../util/once.ts";

/** The loaded code. */
export interface Protocol {
  readonly connect: typeof connect;
  readonly connectNode: typeof connectNode;
  readonly csi: typeof csi;
  readonly registration: typeof registration;
}

/** Loads the code, once. */
export const loadProtocol: () => Promise<Protocol> = once(async () => ({
  connect: await import("@connectrpc/connect"),
  connectNode: await import("@connectrpc/connect-node"),
  csi: await import("./generated/csi_pb.js"),
  registration: await import("./generated/pluginregistration_pb.js"),
}));
