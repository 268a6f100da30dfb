import { REPORT_LIMIT } from "../meta/report-limit.ts";
import { Argument, type Command } from "commander";
import { CliError } from "./cli-error.ts";

/** An object of the command line, with versions of it. */
export interface NamedObject {
  readonly kind: string;
  readonly name: string;
  readonly versions: readonly string[];
}

/** Adds the arguments of a command about one object; `more` is appended to the name in help. */
export function withObjectArguments(command: Command, more = ""): Command {
  return command
    .addArgument(
      new Argument("<kind>", "Its kind, plural, singular or short name, with .group where needed; or KIND/NAME."),
    )
    .addArgument(new Argument(`[name${more}]`, "Its name."));
}

/**
 * Parses the arguments about one object: `configmap web`, `cm/web`, `cm web@1234`.
 *
 * @param maxVersions of the form `@REVISION`
 * @throws CliError of usage with an example
 */
export function parseObject(words: readonly (string | undefined)[], maxVersions: number, example: string): NamedObject {
  const [first = "", ...rest] = words.filter((word) => word !== undefined);
  const slash = first.indexOf("/");
  const kind = slash < 0 ? first : first.slice(0, slash);
  const [named = "", ...others] = slash < 0 ? rest : [first.slice(slash + 1), ...rest];
  const at = maxVersions > 0 ? named.indexOf("@") : -1;
  const name = at < 0 ? named : named.slice(0, at);
  const versions = [...(at < 0 ? [] : [named.slice(at)]), ...others].map((word) => /^@(\d{1,16})$/.exec(word)?.[1]);
  const known = versions.filter((version) => version !== undefined);
  if (kind !== "" && name !== "" && known.length === versions.length && known.length <= maxVersions) {
    return { kind, name, versions: known };
  }
  throw new CliError(`expected a kind and a name, as in: ${example}`, { usage: true });
}

/** Parses `--limit`. @throws CliError of usage */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= REPORT_LIMIT.most) return limit;
  throw new CliError(`expected --limit to be a number from 1 to ${REPORT_LIMIT.most}, got ${text}`, { usage: true });
}
