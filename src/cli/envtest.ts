import { Argument, Command } from "commander";
import type { Actions } from "./actions.ts";
import { forShell } from "../util/for-shell.ts";
import { withExamples } from "./help.ts";

/** Returns the command `envtest`, which creates a directory for envtest of controller-runtime. */
export function envtestCommand({ envtest, print, terminal }: Actions): Command {
  const command = new Command("envtest")
    .summary("Create a directory with the programs for envtest, for test suites in Go.")
    .description(
      "Create a directory with kube-apiserver and etcd for envtest of controller-runtime, and a link to kubectl. Prints the shell command that sets KUBEBUILDER_ASSETS.",
    )
    .addArgument(new Argument("<dir>", "The directory; updated if this command has created it before."))
    .action(async (directory: string) => {
      const { path, kubectl } = await envtest(directory);
      if (kubectl === undefined) terminal.tell("no kubectl was found on PATH: suites that run it will not find one\n");
      print(`export KUBEBUILDER_ASSETS=${forShell(path)}`);
    });
  return withExamples(command, "envtest bin/envtest", "envtest bin/envtest > env.sh && . ./env.sh && go test ./...");
}
