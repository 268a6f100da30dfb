import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { AuditRequest } from "./audit-run.ts";
import { withExamples } from "./help.ts";

/** Returns the command `audit`, which searches the audit log of a server. */
export function auditCommand(actions: Actions): Command {
  const command = new Command("audit")
    .description(
      "Search the audit log of a server and its rotated files, also compressed ones. Events of the stage RequestReceived are left out.",
    )
    .argument("[file]", "The log; - is standard input. Default: that of KEELSON_AUDIT_LOG_PATH.")
    .option("--user <NAME>", "Only requests of this user, or impersonating this user.")
    .option("--object <NS/KIND/NAME>", "Only requests for an object; NS may be left out, * is any NAME.")
    .option("--verb <VERB>", "Only requests with this verb: get, create, delete ...")
    .option(
      "--since <TIME>",
      "Only later events: a duration before now such as 1h, or a time such as 2026-01-31T10:00:00Z.",
    )
    .option("--until <TIME>", "Only earlier events.")
    .addOption(
      new Option("-o, --output <FORM>", "The output format: a table, or whole events as JSON.")
        .choices(["table", "json"])
        .default("table"),
    )
    .option("-f, --follow", "Wait for further events.", false)
    .action(async (file: string | undefined, flags: Omit<AuditRequest, "file">) => {
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
