/**
 * The sources of options: flags, the environment, a file, a program. Each gives texts by the keys of the options.
 *
 * A key is the same everywhere: `--event-ttl 2h`, `KEELSON_EVENT_TTL=2h`, and `event-ttl: 2h` in the file. An unknown
 * key is an error that suggests the nearest one; an unknown variable is only reported, as it may be for another program.
 *
 * @module
 */
import { suggestion } from "../../util/nearest.ts";
import { asJsonNumber } from "../../value/value.ts";
import { OptionError } from "./error.ts";
import { OPTION_NAMES, type OptionKey, envName, namesOf } from "./table.ts";

/** The value of an option in a source: its text, or the number, boolean, list or map that the text stands for. */
export type OptionValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | Readonly<Record<string, string | number | boolean>>;

/** Values of options by key. */
export type RawOptions = { readonly [Key in OptionKey]?: OptionValue | undefined };

/**
 * Whether a variable is from Kubernetes, which sets some in every container for Services with names such as `keelson`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
const isServiceLink = (name: string, value: string): boolean =>
  (/^\w+$/.test(name) && /_SERVICE_(?:HOST|PORT)(?:_\w|$)/.test(name)) ||
  /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value));

/** Variables that `keelson run` sets for its command, and a node for its containers; both may run `keelson`. */
const SET_BY_KEELSON: ReadonlySet<string> = new Set(["KEELSON_URL", "KEELSON_TOKEN", "KEELSON_ROOT"]);

/** The texts of options by key; `config` is the path of the file with further options. */
export type Texts = { readonly [Key in OptionKey | "config"]?: string };

/**
 * Reads the options of the environment; an empty variable is ignored.
 *
 * @param onUnknown called for each unknown `KEELSON_` variable, with a suggestion; it is not an error, as another program may have
 *   set it
 */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  onUnknown: (name: string, nearest: string) => void = () => {},
): Texts {
  const known = new Map([...OPTION_NAMES.keys(), "config"].map((name) => [envName(name), name]));
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("KEELSON_") || value === undefined) continue;
    if (SET_BY_KEELSON.has(name) || isServiceLink(name, value)) continue;
    const option = known.get(name);
    if (option === undefined) onUnknown(name, suggestion(name, known.keys()));
    else if (value !== "") texts[option] = value;
  }
  const { config, ...options } = texts;
  return { ...textsOf(options, "in the environment"), ...(config === undefined ? {} : { config }) };
}

/** Checks the keys of a file; a key without a value is ignored. */
export function fromFile(content: unknown, file: string): Texts {
  if (content === null || content === undefined) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new OptionError(`expected ${file} to hold keys and values, got ${JSON.stringify(content)}`);
  }
  return textsOf(content, `in ${file}`);
}

/** Converts values to texts by the keys of their options: lists become comma separated, maps `k=v` pairs. */
export function textsOf(values: object, where: string): Texts {
  const texts: Partial<Record<OptionKey, string>> = {};
  for (const [name, value] of Object.entries(values)) {
    const key = OPTION_NAMES.get(name);
    if (key === undefined) {
      throw new OptionError(`unknown key ${JSON.stringify(name)} ${where}${suggestion(name, OPTION_NAMES.keys())}`);
    }
    if (value === null || value === undefined) continue;
    if (texts[key] !== undefined) throw new OptionError(`expected one of ${namesOf(key).join(" and ")} ${where}`);
    texts[key] = textOf(value);
  }
  return texts;
}

function textOf(value: unknown): string {
  const exact = asJsonNumber(value);
  if (exact) return exact.text;
  if (Array.isArray(value)) return value.map(String).join(",");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([k, v]) => `${k}=${String(v)}`)
      .join(",");
  }
  return String(value);
}

/** The options of one source. */
export interface OptionSource {
  readonly options: RawOptions;
  /** The name of an option in the source, for messages: `--port`, `KEELSON_PORT`, `port in keelson.yaml`. */
  readonly nameOf: (key: OptionKey) => string;
}

/** Returns the name of an option that a source uses. */
const writtenName = (key: OptionKey, has: (name: string) => boolean): string => namesOf(key).find(has) ?? key;

/** Returns the options of a command line as a source. */
export const flagSource = (options: RawOptions): OptionSource => ({
  options,
  nameOf: (key) => `--${writtenName(key, (name) => Object.hasOwn(options, name))}`,
});

/** Returns the options of {@link fromEnvironment} as a source. */
export const environmentSource = (
  options: RawOptions,
  env: Readonly<Record<string, string | undefined>>,
): OptionSource => ({
  options,
  nameOf: (key) => envName(writtenName(key, (name) => Boolean(env[envName(name)]))),
});

/** Returns the options of a decoded file as a source. */
export const fileSource = (content: unknown, file: string): OptionSource => ({
  options: fromFile(content, file),
  nameOf: (key) => `${writtenName(key, (name) => Object.hasOwn(content as object, name))} in ${file}`,
});
