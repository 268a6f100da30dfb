/**
 * The flags of `keelson serve`, from the table of options.
 *
 * @module
 */
import type { FlagSpec } from "../../cli/actions.ts";
import { OPTIONS, OPTION_KEYS, type OptionKey, envName } from "./table.ts";
import { defaultDataDir } from "./options.ts";

/** Every flag, with what its default is on this machine. */
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

/** The default of an option in words; a switch is off by default, which goes without saying. */
function defaultOf(key: OptionKey): string {
  if (key === "data-dir") return placeOfData();
  const { type, default: preset = "", otherwise = "" } = OPTIONS[key];
  return type.placeholder === "" ? "" : preset || otherwise;
}

function placeOfData(): string {
  try {
    return defaultDataDir();
  } catch {
    return "none, as this user has no home";
  }
}
