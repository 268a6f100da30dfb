/**
 * The types of options: how the text of a value is read and checked.
 *
 * @module
 */
import { resolve } from "node:path";
import { ADMISSION_PLUGINS } from "../../admission/names.ts";
import { AUTHORIZATION_MODES, type AuthorizationMode, isAuthorizationMode } from "../../auth/modes.ts";
import { CONTROLLERS, ownName } from "../../controllers/names.ts";
import { type Dialect, dialectOf, kubernetes, neutral } from "../../meta/dialect.ts";
import { GATES, type Gate, gatesOf } from "../../meta/gates.ts";
import { networkOf, networkText } from "../../meta/addresses.ts";
import { serviceNetworkFault } from "../../meta/service-ranges.ts";
import { dnsSubdomain } from "../../meta/names.ts";
import { type Duration, millisOf, parseDuration } from "../../util/duration.ts";
import { suggestion } from "../../util/nearest.ts";
import { withoutTrailing } from "../../util/scan.ts";
import { ValueError } from "./error.ts";

export { OptionError } from "./error.ts";

/** Returns the error of an option with an invalid value. */
export const expected = (key: string, expectation: string, got: string): ValueError =>
  new ValueError(`to be ${expectation}, got ${JSON.stringify(got)}`, key);

/** Reads the value of an option from its text. @throws ValueError for an invalid text */
export function readValue<T>(key: string, type: OptionType<T>, given: string): T {
  try {
    const value = type.read(given);
    if (value !== undefined) return value;
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(error.problem, key) : error;
  }
  throw expected(key, type.expects, given);
}

/** A type of options. */
export interface OptionType<T> {
  /** The name of the type, with its unit: `duration`, `number of requests`. */
  readonly name: string;
  /** The placeholder of a value in help, `DURATION`; empty for a switch, which needs no value. */
  readonly placeholder: string;
  /** A description of valid values, for errors. */
  readonly expects: string;
  /** The words that a value may be or consist of, if they are known. */
  readonly words: readonly string[];
  /** Describes one of the words, for help. */
  readonly explain?: (word: string) => string;
  /** Reads the value of a text; undefined for an invalid one. @throws ValueError if `expects` does not say enough */
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

/** Makes a path absolute; an empty one stays empty. */
const pathOf = (path: string): string => (path === "" ? "" : resolve(path));

/** The path of a file, made absolute; empty for none. */
export const file: OptionType<string> = { ...text("FILE"), name: "file", read: pathOf };

/** The path of a file, or `-` for standard output. */
export const fileOrOutput: OptionType<string> = { ...file, read: (path) => (path === "-" ? path : pathOf(path)) };

/** The path of a directory, made absolute. */
export const directory: OptionType<string> = {
  ...text("DIR"),
  name: "directory",
  expects: "a path",
  read: (value) => pathOf(value) || undefined,
};

/** The path of a directory, made absolute; empty for none. */
export const directoryOrNone: OptionType<string> = { ...directory, read: pathOf };

/** The name of a node; empty for none. */
export const nodeName: OptionType<string> = {
  ...text("NAME"),
  expects: "a name such as node-1.example",
  read: (value) => (value === "" || dnsSubdomain(value) === undefined ? value : undefined),
};

/** A prefix of keys; trailing slashes are removed. */
export const keyPrefix: OptionType<string> = {
  ...text("PREFIX"),
  expects: "a prefix such as /keelson",
  read: (value) => withoutTrailing(value, "/") || undefined,
};

/** `true` or `false`; a flag without a value is `true`. */
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

/** A count of 1 or more. */
export const count = (unit: string): OptionType<number> => ({
  name: `number of ${unit}`,
  placeholder: "N",
  expects: "a whole number of 1 or more",
  words: [],
  read: (value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined),
});

/** A limit; 0 is no limit. */
export const limit = (unit: string): OptionType<number> => ({
  ...count(unit),
  expects: "a whole number, 0 for no limit",
  read: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
});

/** A limit in whole seconds, read as milliseconds; 0 is no limit. */
export const seconds: OptionType<number> = {
  ...limit("seconds"),
  read: (value) => (/^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined),
};

/** A rate for each second. */
export const rate: OptionType<number> = {
  name: "number a second",
  placeholder: "N",
  expects: "a number of 0 or more",
  words: [],
  read: (value) => (/^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined),
};

/** A duration, read as milliseconds. */
export const duration: OptionType<number> = {
  name: "duration",
  placeholder: "DURATION",
  expects: "a duration such as 30s, 90m or 1h30m",
  words: [],
  read: parseDuration,
};

/** A duration within two bounds, read as milliseconds. */
export const durationWithin = (min: Duration, max: Duration): OptionType<number> => ({
  ...duration,
  expects: `a duration from ${min} to ${max}`,
  read(value) {
    const millis = parseDuration(value);
    return millis !== undefined && millis >= millisOf(min) && millis <= millisOf(max) ? millis : undefined;
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

/** Splits a comma separated text. */
const partsOf = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Comma separated texts. */
export const list = (placeholder: string): OptionType<readonly string[]> => ({
  name: "list",
  placeholder: `${placeholder},...`,
  expects: "texts with commas between them",
  words: [],
  read: partsOf,
});

/** Paths of files, made absolute. */
export const files: OptionType<readonly string[]> = { ...list("FILE"), read: (value) => partsOf(value).map(pathOf) };

/** URLs of members of etcd. */
export const etcdServers: OptionType<readonly string[]> = {
  ...list("URL"),
  expects: "addresses such as https://10.0.0.1:2379",
  read(value) {
    const servers = partsOf(value).map((url) => url.replace(/\/$/, ""));
    return servers.every((url) => /^https?:\/\/[^/]+$/.test(url) && URL.canParse(url)) ? servers : undefined;
  },
};

/** Issuers of tokens: a text with a colon must be a URL. */
export const issuers: OptionType<readonly string[]> = {
  ...list("URL"),
  expects: "issuers, each a URL or a text without a colon",
  read(value) {
    const names = partsOf(value);
    return names.every((name) => !name.includes(":") || URL.canParse(name)) ? names : undefined;
  },
};

/** Networks for the addresses of Services. */
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

/** Networks, one or one of each family; none by default. */
export const networks: OptionType<readonly string[]> = {
  ...serviceNetworks,
  read: (value) => (value.trim() === "" ? [] : serviceNetworks.read(value)),
};

/** Where Services listen: `HOST:PORT` by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`. */
export const serviceAddresses: OptionType<ReadonlyMap<string, string>> = {
  name: "map",
  placeholder: "NAMESPACE/NAME[:PORT]=HOST:PORT,...",
  expects: "Services and their addresses, such as default/hook=127.0.0.1:9443",
  words: [],
  read(value) {
    const pairs = partsOf(value).map((part) => SERVICE_ADDRESS.exec(part));
    if (!pairs.every((pair) => pair !== null)) return undefined;
    return new Map(pairs.map(([, service = "", address = ""]) => [service, address]));
  },
};

const SERVICE_ADDRESS = /^([a-z0-9.-]+\/[a-z0-9.-]+(?::\d{1,5})?)=((?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5})$/;

/** A range of ports: the first and the last. */
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

/** Names of controllers, `*`, `none`, or names with a dash in front. */
export const controllers: OptionType<readonly string[]> = {
  ...list("NAME"),
  expects: "names of controllers",
  words: Object.keys(CONTROLLERS),
  explain: (word) => CONTROLLERS[word as keyof typeof CONTROLLERS],
  read(value) {
    const names = partsOf(value).map(ownName);
    for (const name of names) {
      const bare = name.replace(/^-/, "");
      if (name !== "*" && name !== "none" && !Object.hasOwn(CONTROLLERS, bare)) throw unknownWord(this, bare);
    }
    return names;
  },
};

/** Names of steps of admission; unknown names are accepted, as options may be shared with other servers. */
export const plugins: OptionType<readonly string[]> = {
  ...list("NAME"),
  expects: "names of admission plugins",
  words: Object.keys(ADMISSION_PLUGINS),
  explain: (word) => ADMISSION_PLUGINS[word as keyof typeof ADMISSION_PLUGINS].about,
};

/** Names of modes of authorization, at least one. */
export const authorizationModes: OptionType<readonly AuthorizationMode[]> = {
  ...list("MODE"),
  expects: "modes of authorization",
  words: Object.keys(AUTHORIZATION_MODES),
  explain: (word) => AUTHORIZATION_MODES[word as AuthorizationMode],
  read(value) {
    const names = partsOf(value);
    if (names.length === 0 || new Set(names).size < names.length) return undefined;
    return names.map((name) => {
      if (!isAuthorizationMode(name)) throw unknownWord(this, name);
      return name;
    });
  },
};

const unknownWord = ({ words }: OptionType<unknown>, name: string): ValueError =>
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
  if (gate === undefined) throw unknownWord(gates, name);
  const on = onOff.read(value);
  if (on === undefined) throw new ValueError(`${gate} to be ${onOff.expects}, got ${JSON.stringify(value)}`);
  return [gate, on];
}

/** Describes the default of a gate. */
function stateOf(gate: Gate): string {
  const [inNeutral, inKubernetes] = [neutral, kubernetes].map((one) => gatesOf(one)[gate]);
  if (inNeutral === inKubernetes) return inNeutral ? "On by default." : "Off by default.";
  return `On by default in the ${inNeutral ? neutral.name : kubernetes.name} dialect.`;
}
