/** The endpoints of slices. */
import type { EndpointSlice } from "../../client/kinds/index.ts";

/** The endpoint of a slice. */
export type Endpoint = EndpointSlice["endpoints"][number];

/** The most endpoints of a slice. */
export const MAX_ENDPOINTS = 100;

/** A text that is equal for two states of the same endpoint. */
export const endpointKey = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  `${addresses.join()} ${hostname} ${targetRef?.namespace ?? ""}/${targetRef?.name ?? ""}`;
