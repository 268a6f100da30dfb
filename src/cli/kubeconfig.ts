/**
 * `keelson kubeconfig`: prints the admin's kubeconfig of a data directory.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";

/** The command `kubeconfig`. */
export function kubeconfigCommand({ kubeconfig, print }: Actions): Command {
  return new Command("kubeconfig")
    .description("print the kubeconfig of the admin")
    .option("--data-dir <DIR>", "the data directory of the server (default: where serve would put it)")
    .action(async ({ dataDir }: { dataDir?: string }) => print((await kubeconfig(dataDir)).trimEnd()));
}
