import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { dataDirOption, withExamples } from "./help.ts";

/** Returns the command `kubeconfig`, which prints the admin's kubeconfig of a data directory. */
export function kubeconfigCommand({ flags, kubeconfig, print }: Actions): Command {
  const command = new Command("kubeconfig")
    .description("Print the kubeconfig of the admin.")
    .addOption(dataDirOption(flags, "The data directory of the server."))
    .action(async ({ dataDir }: { dataDir?: string }) => print((await kubeconfig(dataDir)).trimEnd()));
  return withExamples(command, "kubeconfig > ~/.kube/config");
}
