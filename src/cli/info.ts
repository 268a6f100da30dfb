/**
 * `keelson info`: what is in a data directory, without starting anything.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions, DirectoryInfo } from "./actions.ts";

/** The command `info`. */
export function infoCommand({ info, print }: Actions): Command {
  return new Command("info")
    .description("what is in a data directory: dialect, versions, sizes, and who runs on it")
    .option("--data-dir <DIR>", "the directory (default: where serve would put it)")
    .addOption(new Option("-o, --output <form>", "how to print").choices(["text", "json"]).default("text"))
    .action(async ({ dataDir, output }: { dataDir?: string; output: string }) => {
      const found = await info(dataDir);
      print(output === "json" ? JSON.stringify(found, undefined, 2) : asText(found));
    });
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
