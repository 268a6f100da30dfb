/** `keelson/client`: a client for this API, over sockets or in the same process. */
export { ApplyError, type ManifestOptions, type Refusal, applyManifests } from "./apply.ts";
export { Client, type ClientOptions, type DerivedOptions, type Document, type LocalServer } from "./client.ts";
export * from "./discovery.ts";
export { type RequestLine, type Attempt, StatusError, attempt, isStatus, retryOnConflict } from "./errors.ts";
export * from "./kind.ts";
export * from "./kubeconfig/index.ts";
export type { Manifest } from "./manifests.ts";
export { type PlanOptions, applyDocuments, planDocuments } from "./plan.ts";
export type { PlanFinding, PlanReport, PlannedChange, PlannedDocument } from "../meta/plan-report.ts";
export type * from "./queries.ts";
export type { RequestOptions, Requests } from "./requests.ts";
export { ResourceClient, type SubresourceClient } from "./resource-client.ts";
export type { FromSchema, Schema } from "./schema-types.ts";
export type * from "./transport.ts";
export { http2Transport } from "./transport-http2.ts";
export { type NodeTransport, type NodeTransportOptions, TransportError, nodeTransport } from "./transport-node.ts";
export { type Until, WaitError, type WaitOptions } from "./wait.ts";
export type { Duration } from "../util/duration.ts";
