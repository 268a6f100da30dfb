import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { CelRequest } from "./cel-run.ts";
import { outputOption, withExamples } from "./help.ts";

/** Returns the command `cel`, which evaluates expressions and the rules of a definition without a server. */
export function celCommand(actions: Actions): Command {
  const command = new Command("cel")
    .description("Evaluate an expression as rules of custom resources do: its value, type and cost. Needs no server.")
    .addArgument(
      new Argument(
        "[expression]",
        "A CEL expression; without one, the object is validated by all rules of the schema.",
      ),
    )
    .addOption(new Option("--self <FILE>", "The value of self, YAML or JSON."))
    .addOption(new Option("--old <FILE>", "The value of oldSelf."))
    .addOption(new Option("--schema <FILE>", "The definition, or a schema: types are checked and costs estimated."))
    .addOption(new Option("--version <NAME>", "The version of the definition; the storage version by default."))
    .addOption(new Option("--at <PATH>", "The path of the rule in object and schema: spec, spec.ports[0]."))
    .addOption(outputOption());
  withExamples(
    command,
    "cel 'self.spec.replicas <= 5' --self web.yaml",
    "cel 'self.replicas <= self.most' --self web.yaml --schema crd.yaml --at spec",
    "cel --self web.yaml --schema crd.yaml",
  );
  return command.action(async (expression: string | undefined, flags: Omit<CelRequest, "expression">) => {
    const { runCel } = await import("./cel-run.ts");
    await runCel(actions, { expression, ...flags });
  });
}
