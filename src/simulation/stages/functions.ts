/** The functions of templates: those of Go, those of kwok, and the common ones of sprig. */
import { canonicalJson } from "../../value/canonical.ts";
import { equal, isObject, type Value } from "../../value/value.ts";
import { encodeYaml } from "../../value/yaml-encode.ts";
import { type Functions, type TemplateFunction, dictOf, isTruth, printed } from "./template.ts";

const NODE_CONDITIONS: Value = [
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "NetworkUnavailable", status: "False", reason: "RouteCreated", message: "RouteController created a route" },
];

/** The results of the functions of kwok for an object. */
export interface StageFacts {
  /** A time in RFC 3339 with fractions. */
  readonly now: string;
  readonly startTime: string;
  readonly version: string;
  readonly nodeIP: (node?: string) => string;
  readonly podIP: (node: string, hostNetwork: boolean, uid: string, name: string, namespace: string) => string;
  readonly nodeName: string;
  readonly nodePort: number | string;
  /** A number in [0, 1). */
  readonly random: () => number;
}

const textOf = (value: Value | undefined): string => (value === undefined || value === null ? "" : printed(value));
const numberOf = (value: Value | undefined): number => Number(value ?? 0) || 0;

function compare(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  throw new Error(`expected two numbers or two texts to compare, got ${JSON.stringify(a)} and ${JSON.stringify(b)}`);
}

function index(value: Value, ...keys: readonly Value[]): Value {
  let at = value;
  for (const key of keys) {
    if (at === null) throw new Error("expected a list or an object to look into, got nil");
    if (isObject(at)) at = Object.hasOwn(at, printed(key)) ? at[printed(key)]! : null;
    else if (Array.isArray(at) || typeof at === "string") {
      const number = Number(key);
      if (!(number >= 0 && number < at.length))
        throw new Error(`expected an index below ${at.length}, got ${printed(key)}`);
      at = at[number]!;
    } else throw new Error(`expected a list or an object to look into, got ${JSON.stringify(at)}`);
  }
  return at;
}

function lengthOf(value: Value): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new Error(`expected a text, a list or an object, got ${JSON.stringify(value)}`);
}

/** The most characters that parts may be joined to. */
const MAX_JOINED = 4 << 20;

/** `%s`, `%d`, `%v`, `%q`, `%t`, `%f` with widths; `%%` is a percent sign. */
function formatted(format: Value, ...args: readonly Value[]): string {
  let next = 0;
  let written = 0;
  return textOf(format).replaceAll(
    /%(-?0?\d{0,3})(?:\.(\d{1,3}))?([sdvqtfx%])/g,
    (_, width: string, places: string, verb: string) => {
      if (verb === "%") return "%";
      const value = next < args.length ? args[next++]! : "%!missing";
      const plain =
        verb === "q"
          ? JSON.stringify(textOf(value))
          : verb === "f"
            ? numberOf(value).toFixed(Number(places ?? 6))
            : verb === "x"
              ? numberOf(value).toString(16)
              : textOf(value);
      const size = Math.abs(Number.parseInt(width || "0", 10));
      written += Math.max(size, plain.length);
      if (written > MAX_JOINED) throw new Error("expected a text of at most 4 MiB");
      return width.startsWith("-") ? plain.padEnd(size) : plain.padStart(size, width.startsWith("0") ? "0" : " ");
    },
  );
}

/** A text in quotes; any other value is encoded as JSON first. */
function quoted(value: Value | undefined): string {
  const json = JSON.stringify(value ?? null);
  return json.startsWith('"') ? json : JSON.stringify(json);
}

function yamlOf(value: Value, indent: Value = 0): string {
  const text = encodeYaml(value);
  const pad = " ".repeat(Math.min(2 * Math.max(0, numberOf(indent)), 100));
  return pad === "" ? text : `\n${text}`.replaceAll("\n", `\n${pad}`);
}

const indented = (spaces: Value, text: Value): string => {
  const pad = " ".repeat(Math.min(Math.max(0, numberOf(spaces)), 100));
  return pad + textOf(text).replaceAll("\n", `\n${pad}`);
};

function joined(parts: readonly string[], separator: string): string {
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * parts.length);
  if (length > MAX_JOINED) throw new Error("expected a text of at most 4 MiB");
  return parts.join(separator);
}

/** The functions that follow from nothing but their arguments. */
export const PURE_FUNCTIONS: Functions = {
  not: (value: Value = null) => !isTruth(value),
  eq: (first, ...others) => others.some((one) => equal(first, one)),
  ne: (a, b) => !equal(a, b),
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  index: (value, ...keys) => index(value ?? null, ...keys),
  len: (value) => lengthOf(value ?? null),
  slice: (value: Value = null, from?: Value, to?: Value) => {
    if (typeof value !== "string" && !Array.isArray(value)) throw new Error("expected a text or a list to slice");
    return value.slice(numberOf(from), to === undefined ? undefined : numberOf(to));
  },
  print: (...all) => all.map(textOf).join(""),
  println: (...all) => `${all.map(textOf).join(" ")}\n`,
  printf: (format, ...args) => formatted(format ?? "", ...args),
  dict: (...args) => dictOf(args),
  list: (...args) => [...args],
  default: (usual, value) => (value !== undefined && isTruth(value) ? value : (usual ?? null)),
  empty: (value) => !isTruth(value ?? null),
  coalesce: (...args) => args.find(isTruth) ?? null,
  ternary: (yes, no, which) => (isTruth(which ?? null) ? yes : no) ?? null,
  quote: (...all) =>
    all
      .filter((one) => one !== null)
      .map((one) => JSON.stringify(textOf(one)))
      .join(" "),
  squote: (...all) =>
    all
      .filter((one) => one !== null)
      .map((one) => `'${textOf(one)}'`)
      .join(" "),
  upper: (text) => textOf(text).toUpperCase(),
  lower: (text) => textOf(text).toLowerCase(),
  trim: (text) => textOf(text).trim(),
  trimPrefix: (prefix, text) =>
    textOf(text).startsWith(textOf(prefix)) ? textOf(text).slice(textOf(prefix).length) : textOf(text),
  trimSuffix: (suffix, text) =>
    textOf(suffix) !== "" && textOf(text).endsWith(textOf(suffix))
      ? textOf(text).slice(0, -textOf(suffix).length)
      : textOf(text),
  hasPrefix: (prefix, text) => textOf(text).startsWith(textOf(prefix)),
  hasSuffix: (suffix, text) => textOf(text).endsWith(textOf(suffix)),
  contains: (part, text) => textOf(text).includes(textOf(part)),
  replace: (from, to, text) => joined(textOf(text).split(textOf(from)), textOf(to)),
  join: (separator, list) => (Array.isArray(list) ? joined(list.map(textOf), textOf(separator)) : textOf(list)),
  splitList: (separator, text) => textOf(text).split(textOf(separator)),
  trunc: (length, text) => textOf(text).slice(0, Math.max(0, numberOf(length))),
  indent: (spaces, text) => indented(spaces ?? 0, text ?? ""),
  nindent: (spaces, text) => `\n${indented(spaces ?? 0, text ?? "")}`,
  toString: (value: Value | undefined) => textOf(value),
  toJson: (value) => canonicalJson(value ?? null),
  toYaml: (value) => encodeYaml(value ?? null).replace(/\n$/, ""),
  int: (value) => Math.trunc(numberOf(value)),
  int64: (value) => Math.trunc(numberOf(value)),
  float64: (value) => numberOf(value),
  add: (...all) => all.reduce<number>((sum, one) => sum + Math.trunc(numberOf(one)), 0),
  add1: (value) => Math.trunc(numberOf(value)) + 1,
  sub: (a, b) => Math.trunc(numberOf(a)) - Math.trunc(numberOf(b)),
  mul: (...all) => all.reduce<number>((product, one) => product * Math.trunc(numberOf(one)), 1),
  div: (a, b) => dividedBy(a, b, (x, y) => Math.trunc(x / y)),
  mod: (a, b) => dividedBy(a, b, (x, y) => x % y),
  max: (...all) => Math.max(...all.map(numberOf)),
  min: (...all) => Math.min(...all.map(numberOf)),
  get: (value, key) =>
    value !== undefined && isObject(value) && Object.hasOwn(value, textOf(key)) ? value[textOf(key)]! : "",
  hasKey: (value, key) => value !== undefined && isObject(value) && Object.hasOwn(value, textOf(key)),
  keys: (value) => (value !== undefined && isObject(value) ? Object.keys(value).toSorted() : []),
  first: (list) => (Array.isArray(list) ? (list[0] ?? null) : null),
  last: (list) => (Array.isArray(list) ? (list.at(-1) ?? null) : null),
  has: (value, list) => Array.isArray(list) && list.some((one) => equal(one, value)),
  append: (list, value) => [...(Array.isArray(list) ? list : []), value ?? null],
  b64enc: (text) => Buffer.from(textOf(text)).toString("base64"),
  b64dec: (text) => Buffer.from(textOf(text), "base64").toString(),
  Quote: (value) => quoted(value),
  YAML: (value, indent) => yamlOf(value ?? null, indent),
  NodeConditions: () => NODE_CONDITIONS,
};

function dividedBy(a: Value | undefined, b: Value | undefined, how: (a: number, b: number) => number): number {
  const divisor = Math.trunc(numberOf(b));
  if (divisor === 0) throw new Error("expected a divisor that is not 0");
  return how(Math.trunc(numberOf(a)), divisor);
}

/** The functions of an object. */
export function functionsOf(facts: StageFacts): Functions {
  const { now, startTime, version, nodeIP, podIP, nodeName, nodePort, random } = facts;
  const pod = (...[node, hostNetwork, uid, name, namespace]: readonly (Value | undefined)[]): string =>
    podIP(textOf(node), hostNetwork === true, textOf(uid), textOf(name), textOf(namespace));
  const own: Functions = {
    Now: () => now,
    now: () => now,
    StartTime: () => startTime,
    Version: () => version,
    NodeName: () => nodeName,
    NodePort: () => nodePort,
    NodeIP: () => nodeIP(),
    NodeIPs: () => [nodeIP()],
    NodeIPWith: (node) => nodeIP(textOf(node)),
    NodeIPsWith: (node) => [nodeIP(textOf(node))],
    PodIP: () => pod(),
    PodIPs: () => [pod()],
    PodIPWith: (...args) => pod(...args),
    PodIPsWith: (...args) => [pod(...args)],
    randInt: (from, to) => numberOf(from) + Math.floor(random() * Math.max(1, numberOf(to) - numberOf(from))),
  };
  return { ...PURE_FUNCTIONS, ...own };
}

const NONE: StageFacts = {
  now: "",
  startTime: "",
  version: "",
  nodeIP: () => "",
  podIP: () => "",
  nodeName: "",
  nodePort: 0,
  random: () => 0,
};
const KNOWN: Readonly<Record<string, TemplateFunction>> = functionsOf(NONE);

/** Whether a function exists. */
export const isFunction = (name: string): boolean => Object.hasOwn(KNOWN, name);
