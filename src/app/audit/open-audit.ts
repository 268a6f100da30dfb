/**
 * Audit as the options say: the policy is read, and files and webhooks are opened.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import {
  AuditMetrics,
  PolicyError,
  type PolicyRuleEvaluator,
  unionOf,
  compileRules,
  readPolicy,
} from "../../audit/index.ts";
import type { Auditing } from "../../server/index.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { OptionError } from "../options/types.ts";
import { openAuditFile } from "./audit-file.ts";
import type { AuditOptions } from "../options/audit-options.ts";
import { openAuditWebhook } from "./audit-webhook.ts";

/** What audit is given. */
export interface AuditAround {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Opens audit; undefined where nothing would be written: there is no policy, or nowhere to write.
 *
 * @param open writes what waits and closes what was opened
 * @throws OptionError for a policy that cannot be used, a file that cannot be opened
 */
export function openAudit(
  options: AuditOptions,
  around: AuditAround,
  open: AsyncDisposableStack,
): Auditing | undefined {
  const { policyFile, file, webhook } = options;
  if (policyFile === "") {
    if (file || webhook) around.log.warn("audit has somewhere to write and no policy: nothing is written");
    return undefined;
  }
  const rules = rulesOf(policyFile);
  if (!file && !webhook) {
    around.log.warn("audit has a policy and nowhere to write: name a file or a webhook", { policy: policyFile });
    return undefined;
  }
  const metrics = new AuditMetrics();
  const parts = { ...around, metrics };
  const sinks = [
    ...(file ? [openAuditFile(file, parts, open)] : []),
    ...(webhook ? [openAuditWebhook(webhook, parts, open)] : []),
  ];
  return { rules, metrics, sink: unionOf(sinks) };
}

function rulesOf(file: string): PolicyRuleEvaluator {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OptionError(`expected --audit-policy-file to name a file that can be read: ${(error as Error).message}`);
  }
  try {
    return compileRules(readPolicy(text));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new OptionError(`expected ${file} to be an audit policy:\n${error.message.replaceAll(/^/gm, "  ")}`);
  }
}
