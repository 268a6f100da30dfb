/**
 * Where options come from: flags, the environment, a file, a program. All of them say texts by the keys of the options.
 *
 * A key is the same everywhere: `--event-ttl 2h`, `KEELSON_EVENT_TTL=2h`, and `event-ttl: 2h` in the file. An unknown
 * key is an error that names the nearest one; an unknown variable is only reported, as it may be meant for another program.
 *
 * @module
 */
import { suggestion } from "../../util/nearest.ts";
import { asJsonNumber } from "../../value/value.ts";
import { OptionError } from "./error.ts";
import { OPTION_NAMES, type OptionKey, envName, namesOf } from "./table.ts";

/** What an option may be given as: its text, or the number, switch, list or map that the text stands for. */
export type OptionValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | Readonly<Record<string, string | number | boolean>>;

/** Values of options by key. */
export type RawOptions = { readonly [Key in OptionKey]?: OptionValue | undefined };

/**
 * What Kubernetes puts into the environment of a container when a Service beside it is called `keelson` or `keelson-x`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables): nobody has told us anything.
 */
const isServiceLink = (name: string, value: string): boolean =>
  (/^\w+$/.test(name) && /_SERVICE_(?:HOST|PORT)(?:_\w|$)/.test(name)) ||
  /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value));

/** What `keelson run` tells its command, and a node its containers: either may be `keelson` again. */
const TOLD_BY_US: ReadonlySet<string> = new Set(["KEELSON_URL", "KEELSON_TOKEN", "KEELSON_ROOT"]);

/** What was said of options, as text; of the file that has more of it, `config` says where it is. */
export type Texts = { readonly [Key in OptionKey | "config"]?: string };

/**
 * Takes the options out of the environment; an empty variable says nothing.
 *
 * @param unknown hears of `KEELSON_` variables that are no options, and of the nearest option: whatever runs the program may have put
 *   them there, so they stop nothing
 */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  unknown: (name: string, nearest: string) => void = () => {},
): Texts {
  const known = new Map([...OPTION_NAMES.keys(), "config"].map((name) => [envName(name), name]));
  const said: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("KEELSON_") || value === undefined) continue;
    if (TOLD_BY_US.has(name) || isServiceLink(name, value)) continue;
    const option = known.get(name);
    if (option === undefined) unknown(name, suggestion(name, known.keys()));
    else if (value !== "") said[option] = value;
  }
  const { config, ...options } = said;
  return { ...textsOf(options, "in the environment"), ...(config === undefined ? {} : { config }) };
}

/** Checks the keys of a file that was read; a key without value says nothing. */
export function fromFile(content: unknown, file: string): Texts {
  if (content === null || content === undefined) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new OptionError(`expected ${file} to hold keys and values, got ${JSON.stringify(content)}`);
  }
  return textsOf(content, `in ${file}`);
}

/** Values as text, by the keys of their options: lists become comma separated, maps `k=v` pairs. */
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

/** Options as one source gives them. */
export interface OptionSource {
  readonly options: RawOptions;
  /** How an option is written there, for messages: `--port`, `KEELSON_PORT`, `port in keelson.yaml`. */
  readonly nameOf: (key: OptionKey) => string;
}

/** The name among those of an option that a source has. */
const writtenName = (key: OptionKey, has: (name: string) => boolean): string => namesOf(key).find(has) ?? key;

/** Options of a command line. */
export const flagSource = (options: RawOptions): OptionSource => ({
  options,
  nameOf: (key) => `--${writtenName(key, (name) => Object.hasOwn(options, name))}`,
});

/** Options of the environment, as {@link fromEnvironment} has found them there. */
export const environmentSource = (
  options: RawOptions,
  env: Readonly<Record<string, string | undefined>>,
): OptionSource => ({
  options,
  nameOf: (key) => envName(writtenName(key, (name) => Boolean(env[envName(name)]))),
});

/** Options of a file that was read, with what it holds. */
export const fileSource = (content: unknown, file: string): OptionSource => ({
  options: fromFile(content, file),
  nameOf: (key) => `${writtenName(key, (name) => Object.hasOwn(content as object, name))} in ${file}`,
});
