/**
 * Who decides what somebody may do, as the options of a server say it: modes by their names, webhooks by their kubeconfigs.
 *
 * @module
 */
import { resolve } from "node:path";
import { type AuthorizerPart, authorizerOf } from "../../auth/authorizer.ts";
import type { Authorizer, AuthContext } from "../../auth/contract.ts";
import { webhookAuthorizer } from "../../auth/webhook/webhook-authorizer.ts";
import { ReplaceableAuthorizer } from "../../auth/replaceable.ts";
import type { Clock } from "../../util/clock.ts";
import type { Collector } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";
import { type KubeconfigWebhook, openKubeconfigWebhook } from "../files/kubeconfig-webhook.ts";
import { readNamed } from "../files/named-file.ts";
import { OptionError } from "../options/types.ts";
import { WatchedFile, hashOf } from "../files/watched-file.ts";
import { type AuthorizerPlan, ConfigurationFault, readAuthorizationConfiguration } from "./configuration.ts";
import { reloadMetrics } from "./reload-metrics.ts";
import type { AuthorizationSettings } from "../options/authorization-settings.ts";
import { webhookAt } from "./webhook-call.ts";

/** How long a webhook has that no configuration says it of, in ms. */
const USUAL_TIMEOUT = 30_000;

/** Files of `--authorization-config` are looked at so often, in ms. */
const LOOK_MS = 5000;
/** Webhooks of a configuration that is not used any more are asked what has been begun, and closed after so many ms. */
const LINGER_MS = 60_000;

/** Who decides in a server. */
export interface Authorization {
  readonly authorizer: (context: AuthContext) => Authorizer;
  /** Whether roles are among those that are asked: then there are roles from the start. */
  readonly hasRoles: boolean;
  /** Whether everybody may do everything, as is said now. */
  readonly allowsAll: () => boolean;
  readonly metrics: readonly Collector[];
}

/** What an authorizer is made on. */
export interface AuthorizationGround {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what is followed, and closes the connections to webhooks. */
  readonly open: AsyncDisposableStack;
}

/**
 * Makes the authorizer of a server. A configuration is followed: where it changes it is used from then on, and where it cannot
 * be used the one of before stays.
 *
 * @throws OptionError where a file cannot be read, or says what it cannot
 */
export function openAuthorization(settings: AuthorizationSettings, ground: AuthorizationGround): Authorization {
  const { configFile: file } = settings;
  const text = file === "" ? "" : readNamed("authorization-config", file);
  const plans = file === "" ? plansOf(settings) : plansIn(file, text);
  const opened = openPlans(plans, ground.clock);
  if (file === "") {
    ground.open.use(opened.webhooks);
    const allowsAll = plans.includes("AlwaysAllow");
    return { authorizer: opened.make, hasRoles: plans.includes("RBAC"), allowsAll: () => allowsAll, metrics: [] };
  }
  const followed = new FollowedAuthorization({ ...ground, file, text, plans, opened });
  ground.open.use(followed);
  return {
    authorizer: followed.authorizer,
    hasRoles: plans.includes("RBAC"),
    allowsAll: () => followed.allowsAll,
    metrics: [followed.metrics],
  };
}

/** Authorizers, and the webhooks that they ask. */
interface Opened {
  readonly make: (context: AuthContext) => Authorizer;
  readonly webhooks: DisposableStack;
}

/** @throws OptionError for a webhook that cannot be opened */
function openPlans(plans: readonly AuthorizerPlan[], clock: Clock): Opened {
  using webhooks = new DisposableStack();
  const parts = plans.map((plan) => partOf(plan, clock, webhooks));
  return { make: authorizerOf(parts), webhooks: webhooks.move() };
}

interface FollowedParts extends Pick<AuthorizationGround, "clock" | "log"> {
  readonly file: string;
  readonly text: string;
  readonly plans: readonly AuthorizerPlan[];
  readonly opened: Opened;
}

/** An authorizer as a file says it now. */
class FollowedAuthorization implements Disposable {
  readonly #parts: FollowedParts;
  readonly #replaceable: ReplaceableAuthorizer;
  readonly #watched: WatchedFile;
  /** Webhooks that are asked, and those that were, as long as answers may come. */
  readonly #webhooks = new Set<DisposableStack>();
  #current: DisposableStack;
  #hash: string;
  #allowsAll: boolean;

  constructor(parts: FollowedParts) {
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
      lookMs: LOOK_MS,
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
    const opened = openPlans(changed, clock);
    this.#replaceable.replace(opened.make);
    this.#allowsAll = changed.includes("AlwaysAllow");
    this.#hash = hashOf(Buffer.from(text));
    const before = this.#current;
    this.#current = opened.webhooks;
    this.#webhooks.add(opened.webhooks);
    clock.after(LINGER_MS, () => {
      before.dispose();
      this.#webhooks.delete(before);
    });
  }
}

/** Modes that need something of the cluster from its start. */
const FROM_THE_START: ReadonlySet<string> = new Set(["Node", "RBAC"]);

const modesIn = (plans: readonly AuthorizerPlan[]): readonly string[] =>
  plans.flatMap((plan) => (typeof plan === "string" ? plan : []));

/** A change may not leave out a mode that there was at the start, nor bring one that needs what is made at the start. */
function checkModes(atStart: readonly AuthorizerPlan[], now: readonly AuthorizerPlan[]): void {
  const [before, after] = [modesIn(atStart), modesIn(now)];
  const gone = before.filter((mode) => !after.includes(mode));
  if (gone.length > 0) {
    throw new ConfigurationFault(`authorizers: expected ${gone.join(", ")}, as there was at the start`);
  }
  const come = after.filter((mode) => FROM_THE_START.has(mode) && !before.includes(mode));
  if (come.length > 0) {
    throw new ConfigurationFault(`authorizers: expected ${come.join(", ")} only where it was there at the start`);
  }
}

function plansOf({ modes, webhook }: AuthorizationSettings): readonly AuthorizerPlan[] {
  return modes.map((mode) =>
    mode === "Webhook"
      ? { ...webhook, name: "webhook", timeoutMillis: USUAL_TIMEOUT, failurePolicy: "NoOpinion", conditions: [] }
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

function partOf(plan: AuthorizerPlan, clock: Clock, open: DisposableStack): AuthorizerPart {
  if (typeof plan === "string") return plan;
  const ask = webhookAt(webhookOf(plan.kubeconfig, clock, open), plan.timeoutMillis);
  const webhook = webhookAuthorizer({ ...plan, ask }, clock);
  return () => webhook;
}

function webhookOf(kubeconfig: string, clock: Clock, open: DisposableStack): KubeconfigWebhook {
  try {
    return open.adopt(openKubeconfigWebhook(resolve(kubeconfig), clock), (webhook) => webhook.close());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OptionError(`expected ${kubeconfig} to be a kubeconfig that names an authorization webhook: ${why}`);
  }
}
