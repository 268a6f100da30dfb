import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { withServerFlags } from "./connect-flags.ts";
import type { DoctorFlags } from "./doctor/run.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";

/** Returns the command `doctor`, which checks what a server and its clients need of this machine. */
export function doctorCommand(actions: Actions): Command {
  const command = new Command("doctor")
    .description(
      "Check this machine, the data directory, ports, clients and the server. The exit code is 1 if a check fails.",
    )
    .addOption(dataDirOption(actions.flags, "The directory that a server would use."))
    .option("--config <FILE>", "The file with options that a server would use.")
    .addOption(outputOption());
  withExamples(command, "doctor", "doctor --data-dir /var/lib/keelson -o json");
  return withServerFlags(command).action(async (flags: DoctorFlags) => {
    const { runDoctor } = await import("./doctor/run.ts");
    await runDoctor(actions, flags);
  });
}
