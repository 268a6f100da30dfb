/**
 * Who decides what somebody may do, as the options of a server say it: modes by their names, webhooks by their kubeconfigs.
 *
 * @module
 */
import { resolve } from "node:path";
import { type AuthorizerPart, authorizerOf } from "../../auth/authorizer.ts";
import type { Authorizer, TrustGround } from "../../auth/contract.ts";
import { webhookAuthorizer } from "../../auth/webhook/webhook-authorizer.ts";
import type { Clock } from "../../util/clock.ts";
import { type KubeconfigWebhook, openKubeconfigWebhook } from "../kubeconfig-webhook.ts";
import { readNamed } from "../named-file.ts";
import { OptionError } from "../option-types.ts";
import { type AuthorizerPlan, ConfigurationFault, readAuthorizationConfiguration } from "./configuration.ts";
import type { AuthorizationSettings } from "./settings.ts";
import { webhookAt } from "./webhook-call.ts";

/** How long a webhook has that no configuration says it of, in ms. */
const USUAL_TIMEOUT = 30_000;

/** Who decides in a server. */
export interface Authorization {
  readonly authorizer: (ground: TrustGround) => Authorizer;
  /** Whether roles are among those that are asked: then there are roles from the start. */
  readonly hasRoles: boolean;
}

/**
 * Makes the authorizer of a server.
 *
 * @param open closes the connections to webhooks
 * @throws OptionError where a file cannot be read, or says what it cannot
 */
export function openAuthorization(
  settings: AuthorizationSettings,
  clock: Clock,
  open: AsyncDisposableStack,
): Authorization {
  const plans = plansOf(settings);
  return { authorizer: authorizerOf(plans.map((plan) => partOf(plan, clock, open))), hasRoles: plans.includes("RBAC") };
}

function plansOf({ modes, configFile, webhook }: AuthorizationSettings): readonly AuthorizerPlan[] {
  if (configFile !== "") return plansIn(configFile);
  return modes.map((mode) =>
    mode === "Webhook"
      ? { ...webhook, name: "webhook", timeoutMillis: USUAL_TIMEOUT, failurePolicy: "NoOpinion", conditions: [] }
      : mode,
  );
}

function plansIn(file: string): readonly AuthorizerPlan[] {
  try {
    return readAuthorizationConfiguration(readNamed("authorization-config", file));
  } catch (error) {
    if (!(error instanceof ConfigurationFault)) throw error;
    throw new OptionError(`expected --authorization-config ${file} to be a configuration:\n${error.message}`);
  }
}

function partOf(plan: AuthorizerPlan, clock: Clock, open: AsyncDisposableStack): AuthorizerPart {
  if (typeof plan === "string") return plan;
  const ask = webhookAt(webhookOf(plan.kubeconfig, clock, open), plan.timeoutMillis);
  const webhook = webhookAuthorizer({ ...plan, ask }, clock);
  return () => webhook;
}

function webhookOf(kubeconfig: string, clock: Clock, open: AsyncDisposableStack): KubeconfigWebhook {
  try {
    return open.adopt(openKubeconfigWebhook(resolve(kubeconfig), clock), (webhook) => webhook.close());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OptionError(`expected ${kubeconfig} to be a kubeconfig that names an authorization webhook: ${why}`);
  }
}
