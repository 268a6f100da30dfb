/**
 * `keelson info`: what is in a data directory, without starting anything.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions, DirectoryInfo } from "./actions.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";

/** The command `info`. */
export function infoCommand({ flags, info, print }: Actions): Command {
  const command = new Command("info")
    .description("Tell what is in a data directory: dialect, versions, sizes, and who runs on it.")
    .addOption(dataDirOption(flags, "The directory."))
    .addOption(outputOption())
    .action(async ({ dataDir, output }: { dataDir?: string; output: string }) => {
      const found = await info(dataDir);
      print(output === "json" ? JSON.stringify(found, undefined, 2) : asText(found));
    });
  return withExamples(command, "info", "info --data-dir /var/lib/keelson -o json");
}

function asText(found: DirectoryInfo): string {
  const { running } = found;
  const lines: [string, string][] = [
    ["keelson", found.version],
    ["data directory", found.path],
    ["dialect", found.dialect ?? "none yet: nothing was started here"],
    ["format", found.format === undefined ? "-" : String(found.format)],
    ["store", `${(found.storeBytes / 1024).toFixed(0)} KiB`],
    ["kubeconfig", found.kubeconfig ?? "-"],
    ["server", running ? `${running.version}, pid ${running.pid}, ${running.addresses.join(", ")}` : "not running"],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}
