/**
 * Builds the authorizers of a server from its options: modes by their names, webhooks by their kubeconfigs.
 *
 * @module
 */
import { resolve } from "node:path";
import { type AuthorizerPart, authorizerOf } from "../../auth/authorizer.ts";
import type { Authorizer, AuthContext } from "../../auth/contract.ts";
import { webhookAuthorizer } from "../../auth/webhook/webhook-authorizer.ts";
import { ReplaceableAuthorizer } from "../../auth/replaceable.ts";
import type { Collector } from "../../util/exposition.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import { type KubeconfigWebhook, type WebhookSystem, openKubeconfigWebhook } from "../files/kubeconfig-webhook.ts";
import { readNamed } from "../files/named-file.ts";
import { OptionError } from "../options/types.ts";
import { WatchedFile, hashOf } from "../files/watched-file.ts";
import { type AuthorizerPlan, ConfigurationFault, readAuthorizationConfiguration } from "./configuration.ts";
import { reloadMetrics } from "./reload-metrics.ts";
import type { AuthorizationSettings } from "../options/authorization-settings.ts";
import { webhookCall } from "./webhook-call.ts";
import { messageOf } from "../../util/error.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 5000;
/** When the webhooks of a replaced configuration are closed; running requests may still use them. */
const CLOSE_DELAY_MS = 60_000;

/** The authorizer of a server, and facts of its configuration. */
export interface Authorization {
  readonly authorizer: (context: AuthContext) => Authorizer;
  /** Whether RBAC is one of the modes: then the default roles are created. */
  readonly hasRoles: boolean;
  /** Whether AlwaysAllow is one of the modes of the current configuration. */
  readonly allowsAll: () => boolean;
  readonly metrics: readonly Collector[];
}

/** What authorization is built from. */
export interface AuthorizationParts extends Pick<TracedSystemParts, "clock" | "log" | "currentSpan"> {
  /** Stops watching the file, and closes the connections to webhooks. */
  readonly open: AsyncDisposableStack;
}

/**
 * Builds the authorizer of a server. A configuration file is watched; while it is not valid, the previous one is used.
 *
 * @throws OptionError for a file that cannot be read or is not valid
 */
export function openAuthorization(settings: AuthorizationSettings, system: AuthorizationParts): Authorization {
  const { configFile: file } = settings;
  const text = file === "" ? "" : readNamed("authorization-config", file);
  const plans = file === "" ? plansOf(settings) : plansIn(file, text);
  const opened = openPlans(plans, system);
  if (file === "") {
    system.open.use(opened.webhooks);
    const allowsAll = plans.includes("AlwaysAllow");
    return { authorizer: opened.make, hasRoles: plans.includes("RBAC"), allowsAll: () => allowsAll, metrics: [] };
  }
  const watched = new WatchedAuthorization({ ...system, file, text, plans, opened });
  system.open.use(watched);
  return {
    authorizer: watched.authorizer,
    hasRoles: plans.includes("RBAC"),
    allowsAll: () => watched.allowsAll,
    metrics: [watched.metrics],
  };
}

/** Authorizers, and the webhooks that they call. */
interface Opened {
  readonly make: (context: AuthContext) => Authorizer;
  readonly webhooks: DisposableStack;
}

/** @throws OptionError for a webhook that cannot be opened */
function openPlans(plans: readonly AuthorizerPlan[], system: WebhookSystem): Opened {
  using webhooks = new DisposableStack();
  const parts = plans.map((plan) => partOf(plan, system, webhooks));
  return { make: authorizerOf(parts), webhooks: webhooks.move() };
}

interface WatchedParts extends Pick<TracedSystemParts, "clock" | "log" | "currentSpan"> {
  readonly file: string;
  readonly text: string;
  readonly plans: readonly AuthorizerPlan[];
  readonly opened: Opened;
}

/** The authorizer of the current content of a file. */
class WatchedAuthorization implements Disposable {
  readonly #parts: WatchedParts;
  readonly #replaceable: ReplaceableAuthorizer;
  readonly #watched: WatchedFile;
  /** The webhooks in use, and those of replaced configurations until they are closed. */
  readonly #webhooks = new Set<DisposableStack>();
  #current: DisposableStack;
  #hash: string;
  #allowsAll: boolean;

  constructor(parts: WatchedParts) {
    const { opened, clock, log, file, text, plans } = parts;
    this.#allowsAll = plans.includes("AlwaysAllow");
    this.#parts = parts;
    this.#replaceable = new ReplaceableAuthorizer(opened.make);
    this.#current = opened.webhooks;
    this.#hash = hashOf(Buffer.from(text));
    this.#webhooks.add(opened.webhooks);
    this.#watched = new WatchedFile({
      file,
      what: "authorization configuration",
      text: Buffer.from(text),
      intervalMs: POLL_INTERVAL_MS,
      clock,
      log,
      use: (changed) => this.#use(changed.toString()),
    });
  }

  readonly authorizer = (context: AuthContext): Authorizer => this.#replaceable.for(context);

  get allowsAll(): boolean {
    return this.#allowsAll;
  }

  readonly metrics: Collector = () => reloadMetrics(this.#watched.reloads, this.#hash);

  [Symbol.dispose](): void {
    this.#watched[Symbol.dispose]();
    for (const webhooks of this.#webhooks) webhooks.dispose();
  }

  #use(text: string): void {
    const { file, plans, clock } = this.#parts;
    const changed = plansIn(file, text);
    checkModes(plans, changed);
    const opened = openPlans(changed, this.#parts);
    this.#replaceable.replace(opened.make);
    this.#allowsAll = changed.includes("AlwaysAllow");
    this.#hash = hashOf(Buffer.from(text));
    const before = this.#current;
    this.#current = opened.webhooks;
    this.#webhooks.add(opened.webhooks);
    clock.after(CLOSE_DELAY_MS, () => {
      before.dispose();
      this.#webhooks.delete(before);
    });
  }
}

/** Modes that need the cluster to be started with them. */
const STARTUP_MODES: ReadonlySet<string> = new Set(["Node", "RBAC"]);

const modesIn = (plans: readonly AuthorizerPlan[]): readonly string[] =>
  plans.flatMap((plan) => (typeof plan === "string" ? plan : []));

/** Refuses a change that removes a mode of the start, or adds one that needs the cluster to be started with it. */
function checkModes(atStart: readonly AuthorizerPlan[], now: readonly AuthorizerPlan[]): void {
  const [before, after] = [modesIn(atStart), modesIn(now)];
  const removed = before.filter((mode) => !after.includes(mode));
  if (removed.length > 0) {
    throw new ConfigurationFault(`authorizers: expected ${removed.join(", ")}, as at the start of the server`);
  }
  const added = after.filter((mode) => STARTUP_MODES.has(mode) && !before.includes(mode));
  if (added.length > 0) {
    throw new ConfigurationFault(`authorizers: expected no ${added.join(", ")}, which needs a restart of the server`);
  }
}

function plansOf({ modes, webhook }: AuthorizationSettings): readonly AuthorizerPlan[] {
  return modes.map((mode) =>
    mode === "Webhook"
      ? { ...webhook, name: "webhook", timeoutMillis: DEFAULT_TIMEOUT_MS, failurePolicy: "NoOpinion", conditions: [] }
      : mode,
  );
}

function plansIn(file: string, text: string): readonly AuthorizerPlan[] {
  try {
    return readAuthorizationConfiguration(text);
  } catch (error) {
    if (!(error instanceof ConfigurationFault)) throw error;
    throw new OptionError(`expected --authorization-config ${file} to be a configuration:\n${error.message}`);
  }
}

function partOf(plan: AuthorizerPlan, system: WebhookSystem, open: DisposableStack): AuthorizerPart {
  if (typeof plan === "string") return plan;
  const ask = webhookCall(webhookOf(plan.kubeconfig, system, open), plan.timeoutMillis);
  const webhook = webhookAuthorizer({ ...plan, ask }, system.clock);
  return () => webhook;
}

function webhookOf(kubeconfig: string, system: WebhookSystem, open: DisposableStack): KubeconfigWebhook {
  try {
    return open.adopt(openKubeconfigWebhook(resolve(kubeconfig), system), (webhook) => webhook.close());
  } catch (error) {
    const why = messageOf(error);
    throw new OptionError(`expected ${kubeconfig} to be a kubeconfig that names an authorization webhook: ${why}`);
  }
}
