/**
 * Opens the audit of a server from its options: reads the policy, opens files and webhooks.
 *
 * @module
 */
import {
  AuditMetrics,
  PolicyError,
  type PolicyRuleEvaluator,
  unionOf,
  compileRules,
  readPolicy,
} from "../../audit/index.ts";
import type { Auditing } from "../../server/index.ts";
import { readNamed } from "../files/named-file.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import { OptionError } from "../options/types.ts";
import { openAuditFile } from "./audit-file.ts";
import type { AuditOptions } from "../options/audit-options.ts";
import { openAuditWebhook } from "./audit-webhook.ts";

/**
 * Opens audit; undefined if there is no policy, or neither file nor webhook.
 *
 * @param open writes the buffered events and closes files and webhooks
 * @throws OptionError for an invalid policy and for a file that cannot be opened
 */
export function openAudit(
  options: AuditOptions,
  system: TracedSystemParts,
  open: AsyncDisposableStack,
): Auditing | undefined {
  const { policyFile, file, webhook } = options;
  if (policyFile === "") {
    if (file || webhook) system.log.warn("audit has no policy, so no events are written: set --audit-policy-file");
    return undefined;
  }
  const rules = rulesOf(policyFile);
  if (!file && !webhook) {
    system.log.warn("audit has a policy but no backend: set --audit-log-path or --audit-webhook-config-file", {
      policy: policyFile,
    });
    return undefined;
  }
  const metrics = new AuditMetrics();
  const parts = { ...system, metrics };
  const sinks = [
    ...(file ? [openAuditFile(file, parts, open)] : []),
    ...(webhook ? [openAuditWebhook(webhook, parts, open)] : []),
  ];
  return { rules, metrics, sink: unionOf(sinks) };
}

function rulesOf(file: string): PolicyRuleEvaluator {
  const text = readNamed("audit-policy-file", file);
  try {
    return compileRules(readPolicy(text));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new OptionError(`expected ${file} to be an audit policy:\n${error.message.replaceAll(/^/gm, "  ")}`);
  }
}
