/**
 * `keelson envtest`: a directory for suites that start a control plane with envtest of controller-runtime.
 *
 * @module
 */
import { Argument, Command } from "commander";
import type { Actions } from "./actions.ts";
import { forShell } from "./for-shell.ts";
import { withExamples } from "./help.ts";

/** The command `envtest`. */
export function envtestCommand({ envtest, print, terminal }: Actions): Command {
  const command = new Command("envtest")
    .summary("Make a directory with the programs that envtest starts, for suites in Go.")
    .description(
      "Make a directory with kube-apiserver and etcd, as envtest of controller-runtime starts them, and a link to kubectl. Prints what to tell the shell: KUBEBUILDER_ASSETS.",
    )
    .addArgument(new Argument("<dir>", "The directory; made anew where this command has made it before."))
    .action(async (directory: string) => {
      const { path, kubectl } = await envtest(directory);
      if (kubectl === undefined) terminal.tell("no kubectl was found on PATH: suites that run it will not find one\n");
      print(`export KUBEBUILDER_ASSETS=${forShell(path)}`);
    });
  return withExamples(command, "envtest bin/envtest", "envtest bin/envtest > env.sh && . ./env.sh && go test ./...");
}
