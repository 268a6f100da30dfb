import { type Command, Option } from "commander";
import type { PlanOptions } from "../client/plan.ts";
import { CliError } from "./cli-error.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { collect } from "./help.ts";

/** The flags of commands that plan or apply manifests. */
export interface ManifestFlags extends ConnectFlags {
  readonly filename: readonly string[];
  readonly fieldManager: string;
  readonly forceConflicts: boolean;
  readonly validate: "ignore" | "strict" | "warn";
  readonly prune: boolean;
  readonly selector?: string;
  readonly set?: string;
}

/** Adds the flags of {@link ManifestFlags}. */
export const withManifestFlags = (command: Command): Command =>
  withConnectFlags(
    command
      .addOption(
        new Option(
          "-f, --filename <FILE>",
          "A file, a folder with all below it, or - for standard input; may be repeated.",
        )
          .argParser(collect)
          .makeOptionMandatory(),
      )
      .addOption(new Option("--field-manager <NAME>", "The manager of the fields.").default("keelson"))
      .addOption(new Option("--force-conflicts", "Take over fields that other managers own.").default(false))
      .addOption(
        new Option("--validate <HOW>", "What to do with unknown fields.")
          .choices(["strict", "warn", "ignore"])
          .default("strict"),
      )
      .addOption(
        new Option(
          "--prune",
          "Delete objects that are no longer among the manifests: see --selector and --set.",
        ).default(false),
      )
      .addOption(
        new Option("-l, --selector <LABELS>", "Prune the objects with these labels that the manager has applied."),
      )
      .addOption(
        new Option(
          "--set <NAME>",
          "Prune the objects of an ApplySet: NAME of a Secret, secrets/NAME or configmaps/NAME.",
        ),
      ),
  );

const VALIDATIONS = { ignore: "Ignore", strict: "Strict", warn: "Warn" } as const;

/** The options of a request by the flags. @throws CliError for flags that do not fit together */
export function planOptionsOf(flags: ManifestFlags, namespace: string): PlanOptions {
  const prune = pruneOf(flags);
  return {
    fieldManager: flags.fieldManager,
    force: flags.forceConflicts,
    fieldValidation: VALIDATIONS[flags.validate],
    namespace,
    ...(prune ? { prune } : {}),
  };
}

const PARENTS = { configmap: "ConfigMap", configmaps: "ConfigMap", secret: "Secret", secrets: "Secret" } as const;

function pruneOf({ prune, selector, set }: ManifestFlags): PlanOptions["prune"] {
  const isChosen = selector !== undefined || set !== undefined;
  if (prune !== isChosen || (selector !== undefined && set !== undefined)) {
    throw new CliError("expected --prune together with either --selector or --set", { usage: true });
  }
  if (selector !== undefined) return { selector };
  if (set === undefined) return undefined;
  const [first = "", second] = set.split("/");
  if (second === undefined) return { set: { name: first } };
  const kind = Object.hasOwn(PARENTS, first) ? PARENTS[first as keyof typeof PARENTS] : undefined;
  if (!kind) throw new CliError(`expected --set to be a Secret or a ConfigMap, got ${set}`, { usage: true });
  return { set: { name: second, kind } };
}
