/**
 * The program `keelson` in the terminal of a page: the same commands as on a machine, connected to the cluster of the page. What
 * needs a disk, a port or another process says so.
 *
 * @module
 */
import type { Command } from "commander";
import { reportError } from "../../../src/app/program/report-error.ts";
import type { Actions } from "../../../src/cli/actions.ts";
import { CliError } from "../../../src/cli/cli-error.ts";
import { createProgram } from "../../../src/cli/program.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { KUBERNETES_MINOR } from "../../../src/server/documents/version.ts";
import type { Clock } from "../../../src/util/clock.ts";
import type { Program } from "../shell/shell.ts";

/** What the program is connected to. */
export interface KeelsonParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly version: string;
}

const elsewhere = (): Promise<never> =>
  Promise.reject(
    new CliError("this command needs a machine: a disk, a port or other processes; in a page there is none"),
  );

/** The program `keelson`. */
export const keelson =
  ({ transport, clock, version }: KeelsonParts): Program =>
  async (args, { input, out, err }) => {
    const exit = { done: 0, failed: 1 };
    const actions: Actions = {
      version,
      kubernetesMinor: KUBERNETES_MINOR,
      settings: elsewhere,
      upgradeState: elsewhere,
      etcdState: elsewhere,
      flags: [],
      serve: elsewhere,
      run: elsewhere,
      driver: elsewhere,
      driverFeatures: {},
      node: elsewhere,
      csi: elsewhere,
      info: elsewhere,
      kubeconfig: elsewhere,
      envtest: elsewhere,
      files: new Proxy({}, { get: () => elsewhere }) as Actions["files"],
      certificates: { show: elsewhere, renew: elsewhere },
      users: { add: elsewhere, list: elsewhere, revoke: elsewhere, write: elsewhere },
      validateDefinitions: elsewhere,
      testPolicies: elsewhere,
      explorer: { explore: elsewhere, replay: elsewhere, until: elsewhere },
      print: (text) => out(`${text}\n`),
      terminal: { env: {}, input: inputOf(input), isTerminal: false, columns: undefined, tell: err },
      exit,
      clock,
      inProcess: transport,
    };
    const program = createProgram(actions);
    printWith(program, out, err);
    try {
      await program.parseAsync([...args], { from: "user" });
      return exit.done;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return reportError(error, exit.failed, (message) => err(`keelson: ${message}\n`));
    }
  };

/** Has a command and all below it print on the streams. */
function printWith(command: Command, writeOut: (text: string) => void, writeErr: (text: string) => void): void {
  command.configureOutput({ writeOut, writeErr, getOutHelpWidth: () => 80, getErrHelpWidth: () => 80 });
  for (const below of command.commands) printWith(below, writeOut, writeErr);
}

/** A text as an input that is read once. */
function inputOf(text: string): Actions["terminal"]["input"] {
  const pieces = (async function* () {
    yield text;
  })();
  return pieces as unknown as Actions["terminal"]["input"];
}
