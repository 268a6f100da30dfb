/**
 * The flags of `keelson serve`, from the table of options.
 *
 * @module
 */
import type { FlagSpec } from "../../cli/actions.ts";
import { OPTIONS, OPTION_KEYS, type OptionKey, envName } from "./table.ts";
import { defaultDataDir } from "./options.ts";

/** Returns every flag, with its default on this machine. */
export const serveFlags = (): readonly FlagSpec[] =>
  OPTION_KEYS.map((key) => {
    const { group, type, about, also } = OPTIONS[key];
    return {
      key,
      also,
      group,
      value: type.placeholder,
      default: defaultOf(key),
      about,
      env: envName(key),
      words: type.words.map((word) => ({ word, about: type.explain?.(word) })),
    };
  });

/** Returns the default of an option in words; empty for a switch, which is off by default. */
function defaultOf(key: OptionKey): string {
  if (key === "data-dir") return dataDirText();
  const { type, default: preset = "", otherwise = "" } = OPTIONS[key];
  return type.placeholder === "" ? "" : preset || otherwise;
}

function dataDirText(): string {
  try {
    return defaultDataDir();
  } catch {
    return "none, as this user has no home";
  }
}
