/**
 * `keelson cel`: an expression, or the rules of a definition, tried without a server.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";

interface CelFlags {
  readonly self?: string;
  readonly old?: string;
  readonly schema?: string;
  readonly version?: string;
  readonly at?: string;
  readonly output: "text" | "json";
}

/** The command `cel`. */
export function celCommand(actions: Actions): Command {
  const command = new Command("cel")
    .description("Evaluate an expression as rules of custom resources do: its value, type and cost. Needs no server.")
    .addArgument(new Argument("[expression]", "In CEL; without one, all rules of the schema judge the object."))
    .addOption(new Option("--self <FILE>", "The object that the expression calls self, YAML or JSON."))
    .addOption(new Option("--old <FILE>", "What it was before: oldSelf."))
    .addOption(
      new Option("--schema <FILE>", "Its definition, or a schema alone: types are checked and costs estimated."),
    )
    .addOption(new Option("--version <NAME>", "The version of the definition; the stored one unless told."))
    .addOption(new Option("--at <PATH>", "The place of the rule in object and schema: spec, spec.ports[0]."))
    .addOption(outputOption());
  withExamples(
    command,
    "cel 'self.spec.replicas <= 5' --self web.yaml",
    "cel 'self.replicas <= self.most' --self web.yaml --schema crd.yaml --at spec",
    "cel --self web.yaml --schema crd.yaml",
  );
  return command.action(async (expression: string | undefined, flags: CelFlags) => {
    const { runCel } = await import("./cel-run.ts");
    await runCel(actions, { expression, ...flags });
  });
}
