import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";
import type { TypesRequest } from "./types-run.ts";

/** Returns the command `types`, which writes TypeScript types of custom resource definitions. */
export function typesCommand(actions: Actions): Command {
  const command = new Command("types")
    .summary("Write TypeScript types of custom resource definitions.")
    .description(
      "Write a TypeScript module for custom resource definitions: for each served version the type of its objects, and the kind for keelson/client.",
    )
    .addOption(new Option("--version <NAME>", "Only this version; all served versions by default."))
    .addOption(new Option("-o, --output <FILE>", "The file to write; standard output by default."))
    .argument("<file...>", "YAML or JSON with one or more definitions; - reads standard input.")
    .action(async (files: readonly string[], flags: Omit<TypesRequest, "files">) => {
      const { runTypes } = await import("./types-run.ts");
      await runTypes(actions, { files, ...flags });
    });
  return withExamples(command, "types crds.yaml -o src/kinds.ts", "types --version v1 crds.yaml");
}
