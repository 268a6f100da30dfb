/**
 * `keelson audit`: who did what, looked for in the log of a server, also in the files that were put aside.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";

interface AuditFlags {
  readonly user?: string;
  readonly object?: string;
  readonly verb?: string;
  readonly since?: string;
  readonly until?: string;
  readonly output: "table" | "json";
  readonly follow: boolean;
}

/** The command `audit`. */
export function auditCommand(actions: Actions): Command {
  const command = new Command("audit")
    .description(
      "Search the audit log of a server, and the files beside it that were put aside, compressed ones too. What only says that a request has come is left out.",
    )
    .argument("[file]", "The log; - is standard input. Default: that of KEELSON_AUDIT_LOG_PATH.")
    .option("--user <NAME>", "Only what this user did, or was done in this user's name.")
    .option("--object <NS/KIND/NAME>", "Only what was done to an object; NS may be left out, * is any NAME.")
    .option("--verb <VERB>", "Only requests with this verb: get, create, delete ...")
    .option("--since <TIME>", "Only what was later: 1h ago, or 2026-01-31T10:00:00Z.")
    .option("--until <TIME>", "Only what was earlier.")
    .addOption(
      new Option("-o, --output <FORM>", "How to print: a line of a table, or the whole event.")
        .choices(["table", "json"])
        .default("table"),
    )
    .option("-f, --follow", "Go on with what is written from now on.", false)
    .action(async (file: string | undefined, flags: AuditFlags) => {
      const { runAudit } = await import("./audit-run.ts");
      await runAudit(actions, { ...flags, file });
    });
  return withExamples(
    command,
    "audit /var/log/keelson/audit.log --user jane --since 1h",
    "audit audit.log --object default/pods/web --verb delete -o json",
    "audit audit.log -f --object 'secrets/*'",
  );
}
