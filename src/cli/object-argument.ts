/**
 * The arguments of commands about one object: `configmap web`, `cm/web`, and `cm web@1234` where a version may be named.
 *
 * @module
 */
import { Argument, type Command } from "commander";
import { CliError } from "./cli-error.ts";

/** An object as it is named on the command line, with the versions of it that are. */
export interface NamedObject {
  readonly kind: string;
  readonly name: string;
  readonly versions: readonly string[];
}

/** Adds the arguments of a command about one object; `more` says what may follow the name. */
export function withObjectArguments(command: Command, more = ""): Command {
  return command
    .addArgument(
      new Argument("<kind>", "Its kind, plural, singular or short name, with .group where needed; or KIND/NAME."),
    )
    .addArgument(new Argument(`[name${more}]`, "Its name."));
}

/**
 * Takes the words after a command apart.
 *
 * @param most how many versions may be named, each as `@REVISION`
 * @throws CliError of usage for anything else, with an example of how it would be right
 */
export function parseObject(words: readonly (string | undefined)[], most: number, example: string): NamedObject {
  const [first = "", ...rest] = words.filter((word) => word !== undefined);
  const slash = first.indexOf("/");
  const kind = slash < 0 ? first : first.slice(0, slash);
  const [named = "", ...others] = slash < 0 ? rest : [first.slice(slash + 1), ...rest];
  const at = most > 0 ? named.indexOf("@") : -1;
  const name = at < 0 ? named : named.slice(0, at);
  const versions = [...(at < 0 ? [] : [named.slice(at)]), ...others].map((word) => /^@(\d{1,16})$/.exec(word)?.[1]);
  const known = versions.filter((version) => version !== undefined);
  if (kind !== "" && name !== "" && known.length === versions.length && known.length <= most) {
    return { kind, name, versions: known };
  }
  throw new CliError(`expected a kind and a name, as in: ${example}`, { usage: true });
}
