/**
 * What the value of an option may be: how it is written, and how it is read.
 *
 * @module
 */
import { resolve } from "node:path";
import { ADMISSION_PLUGINS } from "../../admission/names.ts";
import { AUTHORIZATION_MODES, type AuthorizationMode, isAuthorizationMode } from "../../auth/modes.ts";
import { CONTROLLERS } from "../../controllers/names.ts";
import { type Dialect, dialectOf, kubernetes, neutral } from "../../meta/dialect.ts";
import { GATES, type Gate, gatesOf } from "../../meta/gates.ts";
import { networkOf, networkText } from "../../meta/addresses.ts";
import { serviceNetworkFault } from "../../meta/service-ranges.ts";
import { dnsSubdomain } from "../../meta/names.ts";
import { parseDuration } from "../../util/duration.ts";
import { suggestion } from "../../util/nearest.ts";
import { withoutTrailing } from "../../util/scan.ts";
import { ValueError } from "./error.ts";

export { OptionError } from "./error.ts";

/** The error of an option that is not what it has to be. */
export const expected = (key: string, wanted: string, got: string): ValueError =>
  new ValueError(`to be ${wanted}, got ${JSON.stringify(got)}`, key);

/** The value of an option that is written as `given`. @throws ValueError when it is none */
export function readValue<T>(key: string, type: OptionType<T>, given: string): T {
  try {
    const value = type.read(given);
    if (value !== undefined) return value;
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(error.problem, key) : error;
  }
  throw expected(key, type.expects, given);
}

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
  /** The value of a text, undefined when it is none. @throws ValueError where more is to be said than what is expected */
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

/** A path in full; no path stays none. */
const pathOf = (path: string): string => (path === "" ? "" : resolve(path));

/** The path of a file, which is made absolute; empty for none. */
export const file: OptionType<string> = { ...text("FILE"), name: "file", read: pathOf };

/** The path of a file, or `-` for standard output. */
export const fileOrOutput: OptionType<string> = { ...file, read: (path) => (path === "-" ? path : pathOf(path)) };

/** The path of a directory, which is made absolute. */
export const directory: OptionType<string> = {
  ...text("DIR"),
  name: "directory",
  expects: "a path",
  read: (value) => pathOf(value) || undefined,
};

/** The name of a node; empty for none. */
export const nodeName: OptionType<string> = {
  ...text("NAME"),
  expects: "a name such as node-1.example",
  read: (value) => (value === "" || dnsSubdomain(value) === undefined ? value : undefined),
};

/** What keys begin with; slashes at its end are left out. */
export const keyPrefix: OptionType<string> = {
  ...text("PREFIX"),
  expects: "a prefix such as /keelson",
  read: (value) => withoutTrailing(value, "/") || undefined,
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

/** Whole seconds, of which 0 is no limit, in milliseconds. */
export const seconds: OptionType<number> = {
  ...most("seconds"),
  read: (value) => (/^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined),
};

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

/** A span of time that is neither shorter nor longer than these, in milliseconds. */
export const durationWithin = (least: string, longest: string): OptionType<number> => ({
  ...duration,
  expects: `a duration from ${least} to ${longest}`,
  read(value) {
    const millis = parseDuration(value);
    return millis !== undefined && millis >= parseDuration(least)! && millis <= parseDuration(longest)!
      ? millis
      : undefined;
  },
});

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

/** The parts of a text that has commas between them. */
const partsOf = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Texts with commas between them. */
export const list = (placeholder: string): OptionType<readonly string[]> => ({
  name: "list",
  placeholder: `${placeholder},...`,
  expects: "texts with commas between them",
  words: [],
  read: partsOf,
});

/** Paths of files, which are made absolute. */
export const files: OptionType<readonly string[]> = { ...list("FILE"), read: (value) => partsOf(value).map(pathOf) };

/** Addresses of members of etcd. */
export const etcdServers: OptionType<readonly string[]> = {
  ...list("URL"),
  expects: "addresses such as https://10.0.0.1:2379",
  read(value) {
    const servers = partsOf(value).map((url) => url.replace(/\/$/, ""));
    return servers.every((url) => /^https?:\/\/[^/]+$/.test(url) && URL.canParse(url)) ? servers : undefined;
  },
};

/** Issuers of tokens: what has a colon is a URL. */
export const issuers: OptionType<readonly string[]> = {
  ...list("URL"),
  expects: "issuers, each a URL or a text without a colon",
  read(value) {
    const names = partsOf(value);
    return names.every((name) => !name.includes(":") || URL.canParse(name)) ? names : undefined;
  },
};

/** Networks that Services get their addresses from. */
export const serviceNetworks: OptionType<readonly string[]> = {
  ...list("CIDR"),
  expects: "a network, or one of each family",
  read(value) {
    const texts = partsOf(value);
    const wrong = serviceNetworkFault(texts);
    if (wrong !== undefined)
      throw new ValueError(`to be ${wrong.replace(/^expected /, "")}, got ${JSON.stringify(value)}`);
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
    const names = partsOf(value);
    for (const name of names) {
      const bare = name.replace(/^-/, "");
      if (name !== "*" && name !== "none" && !Object.hasOwn(CONTROLLERS, bare)) throw unnamed(this, bare);
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
    const names = partsOf(value);
    if (names.length === 0 || new Set(names).size < names.length) return undefined;
    return names.map((name) => {
      if (!isAuthorizationMode(name)) throw unnamed(this, name);
      return name;
    });
  },
};

/** The error of a name that is none of the words of a type. */
const unnamed = ({ words }: OptionType<unknown>, name: string): ValueError =>
  new ValueError(`to name some of ${words.join(", ")}, got ${JSON.stringify(name)}${suggestion(name, words)}`);

/** Feature gates, each on or off. */
export const gates: OptionType<Readonly<Partial<Record<Gate, boolean>>>> = {
  name: "map",
  placeholder: "NAME=true|false,...",
  expects: "names of feature gates, each with true or false",
  words: GATES,
  explain: (word) => stateOf(word as Gate),
  read: (value) => Object.fromEntries(partsOf(value).map(gateOf)),
};

function gateOf(pair: string): [Gate, boolean] {
  const [name = "", value = ""] = pair.split("=");
  const gate = GATES.find((known) => known === name);
  if (gate === undefined) throw unnamed(gates, name);
  const on = onOff.read(value);
  if (on === undefined) throw new ValueError(`${gate} to be ${onOff.expects}, got ${JSON.stringify(value)}`);
  return [gate, on];
}

/** Whether a gate is on by default. */
function stateOf(gate: Gate): string {
  const [inNeutral, inKubernetes] = [neutral, kubernetes].map((one) => gatesOf(one)[gate]);
  if (inNeutral === inKubernetes) return inNeutral ? "On by default." : "Off by default.";
  return `On by default in the ${inNeutral ? neutral.name : kubernetes.name} dialect.`;
}
