/**
 * `keelson types`: TypeScript types of custom resource definitions.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";

interface TypesFlags {
  readonly version?: string;
  readonly output?: string;
}

/** The command `types`. */
export function typesCommand(actions: Actions): Command {
  const command = new Command("types")
    .summary("Write TypeScript types of custom resource definitions.")
    .description(
      "Write a TypeScript module for custom resource definitions: for each served version the type of its objects, and the kind as keelson/client takes it.",
    )
    .addOption(new Option("--version <NAME>", "This version only; each one that is served by default."))
    .addOption(new Option("-o, --output <FILE>", "Where to write the module; standard output by default."))
    .argument("<file...>", "YAML or JSON with one or more definitions; - reads standard input.")
    .action(async (files: readonly string[], flags: TypesFlags) => {
      const { runTypes } = await import("./types-run.ts");
      await runTypes(actions, { files, ...flags });
    });
  return withExamples(command, "types crds.yaml -o src/kinds.ts", "types --version v1 crds.yaml");
}
