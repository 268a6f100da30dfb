/**
 * The parts that both steps of webhooks share.
 *
 * @module
 */
import type { Authorizer } from "../../auth/contract.ts";
import type { Hooks } from "../../hooks/hooks.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { WorkerThreads } from "../../util/worker-threads.ts";
import type { AdmissionRequest } from "../contract.ts";
import { FollowedState } from "../rules/followed-state.ts";
import { RuleIndex } from "../rules/rule-index.ts";
import { type ServiceMap, WebhookAddresses } from "./address.ts";
import { WebhookCaller } from "./caller.ts";
import {
  type Configuration,
  GROUP,
  MUTATING,
  type PlacedWebhook,
  VALIDATING,
  type WebhookType,
  inCallOrder,
  readerFor,
} from "./configuration.ts";
import { WebhookMetrics } from "./metrics.ts";
import { RequestTimes } from "./request-time.ts";

/** The parts of a server that webhooks need. */
export interface WebhookOptions {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks: Hooks;
  readonly authorizer: Authorizer;
  /** Evaluates conditions that would take too long on the event loop. */
  readonly threads?: WorkerThreads | undefined;
  /** Services that listen at other addresses than those of their objects. */
  readonly services?: ServiceMap | undefined;
}

/** The webhooks of a type, as of the last change of a configuration. */
export type WebhookState = FollowedState<Configuration, RuleIndex<PlacedWebhook>>;

/** The parts that both steps of webhooks share. */
export class WebhookParts {
  readonly clock: Clock;
  readonly authorizer: Authorizer;
  readonly threads: WorkerThreads | undefined;
  readonly metrics: WebhookMetrics;
  readonly addresses: WebhookAddresses;
  readonly caller: WebhookCaller;
  readonly mutating: WebhookState;
  readonly validating: WebhookState;

  constructor(
    { lookup, clock, random, hooks, authorizer, threads, services }: WebhookOptions,
    metrics = new WebhookMetrics(),
  ) {
    this.clock = clock;
    this.authorizer = authorizer;
    this.threads = threads;
    this.metrics = metrics;
    this.addresses = new WebhookAddresses({ lookup, clock, random, services });
    const { addresses } = this;
    this.caller = new WebhookCaller({ hooks, clock, random, addresses, times: new RequestTimes(clock) });
    this.mutating = stateOf(lookup, MUTATING);
    this.validating = stateOf(lookup, VALIDATING);
  }
}

const stateOf = (lookup: Lookup, type: WebhookType): WebhookState =>
  new FollowedState(lookup, {
    resource: `${type.plural}.${GROUP}`,
    read: readerFor(type),
    build: (configurations) => new RuleIndex(inCallOrder(configurations)),
  });

const EXEMPT: ReadonlySet<string> = new Set([
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "validatingwebhookconfigurations",
]);

/** Whether a request is for a configuration of admission: no webhook may prevent its repair (HOOK-17). */
export const isExempt = ({ ref }: AdmissionRequest): boolean => ref.group === GROUP && EXEMPT.has(ref.plural);
