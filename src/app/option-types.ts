/**
 * What the value of an option may be: how it is written, and how it is read.
 *
 * @module
 */
import { ADMISSION_PLUGINS } from "../admission/names.ts";
import { AUTHORIZATION_MODES, type AuthorizationMode, isAuthorizationMode } from "../auth/modes.ts";
import { CONTROLLERS } from "../controllers/names.ts";
import { type Dialect, dialectOf, kubernetes, neutral } from "../meta/dialect.ts";
import { GATES, type Gate, gatesOf } from "../meta/gates.ts";
import { networkOf, networkText } from "../meta/addresses.ts";
import { wrongServiceNetworks } from "../meta/service-ranges.ts";
import { parseDuration } from "../util/duration.ts";
import { suggestion } from "../util/nearest.ts";
import { OptionError } from "./option-error.ts";

export { OptionError };

/** The error of an option that is not what it has to be. */
export const expected = (key: string, wanted: string, got: string): OptionError =>
  new OptionError(`expected --${key} to be ${wanted}, got ${JSON.stringify(got)}`);

/** A type of values, which are texts on the command line, in the environment and in files. */
export interface OptionType<T> {
  /** What the type is called, `duration`; where values have a unit, it is part of the name. */
  readonly name: string;
  /** What stands for a value in help, `DURATION`; empty for a switch, which may be given alone. */
  readonly placeholder: string;
  /** What a value has to be, as an error says it. */
  readonly expects: string;
  /** The words that a value is, or is made of, where they are known. */
  readonly words: readonly string[];
  /** What is to be said of one of the words; where it is there, help lists them. */
  readonly explain?: (word: string) => string;
  /** The value of a text, undefined when it is none. @throws OptionError where more is to be said than what is expected */
  read(text: string): T | undefined;
}

/** Any text. */
export const text = (placeholder: string): OptionType<string> => ({
  name: "text",
  placeholder,
  expects: "a text",
  words: [],
  read: (value) => value,
});

/** The path of a file. */
export const file: OptionType<string> = { ...text("FILE"), name: "file" };

/** The path of a directory. */
export const directory: OptionType<string> = {
  ...text("DIR"),
  name: "directory",
  expects: "a path",
  read: (value) => value || undefined,
};

/** `true`, which a flag without a value says too, or `false`. */
export const onOff: OptionType<boolean> = {
  name: "boolean",
  placeholder: "",
  expects: "true or false",
  words: ["true", "false"],
  read: (value) => (value === "true" ? true : value === "false" ? false : undefined),
};

/** The number of a port; 0 is any free one. */
export const port: OptionType<number> = {
  name: "number",
  placeholder: "N",
  expects: "a number from 0 to 65535",
  words: [],
  read: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
};

/** How many there may be of something. */
export const count = (unit: string): OptionType<number> => ({
  name: `number of ${unit}`,
  placeholder: "N",
  expects: "a whole number of 1 or more",
  words: [],
  read: (value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined),
});

/** How many there may be of something; 0 is any number. */
export const most = (unit: string): OptionType<number> => ({
  ...count(unit),
  expects: "a whole number, 0 for no limit",
  read: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
});

/** How often something happens in a second. */
export const rate: OptionType<number> = {
  name: "number a second",
  placeholder: "N",
  expects: "a number of 0 or more",
  words: [],
  read: (value) => (/^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined),
};

/** A span of time, in milliseconds. */
export const duration: OptionType<number> = {
  name: "duration",
  placeholder: "DURATION",
  expects: "a duration such as 30s, 90m or 1h30m",
  words: [],
  read: parseDuration,
};

/** One of a few words. */
export const oneOf = <const T extends string>(...words: readonly T[]): OptionType<T> => ({
  name: "word",
  placeholder: words.join("|"),
  expects: words.join(" or "),
  words,
  read: (value) => words.find((word) => word === value),
});

/** The name of a dialect. */
export const dialect: OptionType<Dialect> = { ...oneOf(neutral.name, kubernetes.name), read: dialectOf };

/** Texts with commas between them. */
export const list = (placeholder: string): OptionType<readonly string[]> => ({
  name: "list",
  placeholder: `${placeholder},...`,
  expects: "texts with commas between them",
  words: [],
  read: (value) =>
    value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
});

/** Networks that Services get their addresses from. */
export const serviceNetworks: OptionType<readonly string[]> = {
  ...list("CIDR"),
  expects: "a network, or one of each family",
  read(value) {
    const texts = list("").read(value)!;
    const wrong = wrongServiceNetworks(texts);
    if (wrong !== undefined) throw expected("service-cluster-ip-range", wrong.replace(/^expected /, ""), value);
    return texts.map((network) => networkText(networkOf(network)!));
  },
};

/** The first and the last of some ports. */
export const portRange: OptionType<readonly [number, number]> = {
  name: "range of ports",
  placeholder: "N-N",
  expects: "the first and the last of at least eight ports, such as 30000-32767",
  words: [],
  read(value) {
    const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? [];
    const [from, to] = [Number(first), Number(last)];
    return from >= 1 && to <= 65_535 && to - from >= 7 ? [from, to] : undefined;
  },
};

/** Names of controllers, `*`, `none`, or names with a dash before them. */
export const controllers: OptionType<readonly string[]> = {
  ...list("NAME"),
  expects: "names of controllers",
  words: Object.keys(CONTROLLERS),
  explain: (word) => CONTROLLERS[word as keyof typeof CONTROLLERS],
  read(value) {
    const names = list("").read(value)!;
    for (const name of names) {
      const bare = name.replace(/^-/, "");
      if (name !== "*" && name !== "none" && !Object.hasOwn(CONTROLLERS, bare))
        throw unnamed(this, "controllers", bare);
    }
    return names;
  },
};

/** Names of steps of admission; others are taken, as those of other servers may be meant. */
export const plugins: OptionType<readonly string[]> = {
  ...list("NAME"),
  expects: "names of admission plugins",
  words: Object.keys(ADMISSION_PLUGINS),
  explain: (word) => ADMISSION_PLUGINS[word as keyof typeof ADMISSION_PLUGINS].about,
};

/** Names of modes of authorisation, at least one. */
export const authorizationModes: OptionType<readonly AuthorizationMode[]> = {
  ...list("MODE"),
  expects: "modes of authorisation",
  words: Object.keys(AUTHORIZATION_MODES),
  explain: (word) => AUTHORIZATION_MODES[word as AuthorizationMode],
  read(value) {
    const names = list("").read(value)!;
    if (names.length === 0 || new Set(names).size < names.length) return undefined;
    return names.map((name) => {
      if (!isAuthorizationMode(name)) throw unnamed(this, "authorization-mode", name);
      return name;
    });
  },
};

/** The error of a name that is none of the words of a type. */
function unnamed({ words }: OptionType<unknown>, key: string, name: string): OptionError {
  const got = `${JSON.stringify(name)}${suggestion(name, words)}`;
  return new OptionError(`expected --${key} to name some of ${words.join(", ")}, got ${got}`);
}

/** Feature gates, each on or off. */
export const gates: OptionType<Readonly<Partial<Record<Gate, boolean>>>> = {
  name: "map",
  placeholder: "NAME=true|false,...",
  expects: "names of feature gates, each with true or false",
  words: GATES,
  explain: (word) => stateOf(word as Gate),
  read: (value) => Object.fromEntries(list("").read(value)!.map(gateOf)),
};

function gateOf(pair: string): [Gate, boolean] {
  const [name = "", value = ""] = pair.split("=");
  const gate = GATES.find((known) => known === name);
  if (gate === undefined) throw unnamed(gates, "feature-gates", name);
  const on = onOff.read(value);
  if (on === undefined) throw expected(`feature-gates ${gate}`, onOff.expects, value);
  return [gate, on];
}

/** Whether a gate is on by default. */
function stateOf(gate: Gate): string {
  const [inNeutral, inKubernetes] = [neutral, kubernetes].map((one) => gatesOf(one)[gate]);
  if (inNeutral === inKubernetes) return inNeutral ? "On by default." : "Off by default.";
  return `On by default in the ${inNeutral ? neutral.name : kubernetes.name} dialect.`;
}
