/**
 * The controllers that are built in.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Controller } from "./controller.ts";
import { eventExpiry } from "./event-expiry.ts";
import { type SharedHistory, historyCompaction } from "./history-compaction.ts";
import { defaultServiceAccount, rootCaPublisher } from "./namespace-defaults.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";

export { type Controller, type RunningController, chooseControllers } from "./controller.ts";

/** What the controllers are told. */
export interface ControllerSettings {
  readonly dialect: Dialect;
  readonly eventTtlMillis: number;
  /** PEM of the CA that signed the serving certificate; empty without TLS. */
  readonly caCertificate: string;
  /** The history of a store that several servers share; undefined for a store of our own. */
  readonly sharedHistory?: SharedHistory | undefined;
}

/** Every controller of a dialect; those that only clusters with pods need run only in the kubernetes one. */
export function builtInControllers({
  dialect,
  eventTtlMillis,
  caCertificate,
  sharedHistory,
}: ControllerSettings): readonly Controller[] {
  return [
    namespaceLifecycle,
    eventExpiry(eventTtlMillis),
    ...(sharedHistory ? [historyCompaction(sharedHistory)] : []),
    ...(dialect.rules.namespaceObjects ? [defaultServiceAccount, rootCaPublisher(caCertificate)] : []),
  ];
}
