/** The endpoints of slices. */
import type { EndpointSlice } from "../../client/kinds/index.ts";

/** The endpoint of a slice. */
export type Endpoint = EndpointSlice["endpoints"][number];

/** The maximum number of endpoints in a slice. */
export const MAX_ENDPOINTS = 100;

/** A key that is equal for two states of the same endpoint. */
export const endpointKey = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  `${addresses.join()} ${hostname} ${targetRef?.namespace ?? ""}/${targetRef?.name ?? ""}`;
