import { Command } from "commander";
import type { Actions, DirectoryInfo } from "./actions.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";
import { printReport } from "./print-report.ts";
import { alignedLines } from "./table.ts";

/** Returns the command `info`, which describes a data directory. */
export function infoCommand(actions: Actions): Command {
  const command = new Command("info")
    .description("Describe a data directory: dialect, versions, sizes, and its running server.")
    .addOption(dataDirOption(actions.flags, "The directory."))
    .addOption(outputOption())
    .action(async ({ dataDir, output }: { dataDir?: string; output: string }) => {
      const found = await actions.info(dataDir);
      printReport(actions, output, found, () => linesOf(found));
    });
  return withExamples(command, "info", "info --data-dir /var/lib/keelson -o json");
}

function linesOf(found: DirectoryInfo): string[] {
  const { running } = found;
  return alignedLines([
    ["keelson", found.version],
    ["data directory", found.path],
    ["dialect", found.dialect ?? "none yet: nothing was started here"],
    ["format", found.format === undefined ? "-" : String(found.format)],
    ["store", `${(found.storeBytes / 1024).toFixed(0)} KiB`],
    ["kubeconfig", found.kubeconfig ?? "-"],
    ["server", running ? `${running.version}, pid ${running.pid}, ${running.addresses.join(", ")}` : "not running"],
  ]);
}
