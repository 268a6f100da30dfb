/**
 * Operators, conversions and the functions of the language itself (CEL-5, CEL-6, CEL-10).
 *
 * @module
 */
import {
  EmptyMessage,
  Dict,
  Duration,
  Entries,
  Failure,
  Lazy,
  List,
  NONE,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  Values,
  compare,
  equals,
  isKey,
  pointsOf,
  typeNameOf,
  compareTexts,
} from "../values.ts";
import { parseGoFloat, parseGoInt, parseGoUint } from "../../util/go-number.ts";
import { indexIn } from "../../util/search.ts";
import { typeText } from "../types.ts";
import {
  type CalendarDate,
  dateOf,
  durationIn,
  durationText,
  isWithinTimes,
  timestampIn,
  timestampText,
} from "../times.ts";
import { patternOf } from "../patterns.ts";
import { COMPARE, CONCAT, CONCAT_LISTS, CONTAINS, IN_LIST, WALK, WALK_ARGUMENT, matching, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { exactly, times } from "../range.ts";

const OVERFLOW = new Failure("integer overflow");
const UINT_OVERFLOW = new Failure("unsigned integer overflow");
const ZERO_DIVISION = new Failure("division by zero");
const ZERO_MODULUS = new Failure("modulus by zero");
const NOT_ORDERED = new Failure("NaN values cannot be ordered");
export const NO_OVERLOAD: Failure = new Failure("no such overload");

const [MIN_INT64, MAX_INT64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** An int; a failure beyond 64 bits. */
export const int = (value: bigint): Value => (value < MIN_INT64 || value > MAX_INT64 ? OVERFLOW : value);
const uint = (value: bigint): Value => (value < 0n || value >= 2n ** 64n ? UINT_OVERFLOW : new Uint(value));

const arithmetic = (
  name: string,
  run: (a: bigint, b: bigint) => bigint,
  real: ((a: number, b: number) => number) | undefined,
  zero?: Failure,
): Overload[] => [
  fn(`${name}(int, int): int`, (a: bigint, b: bigint) => (zero && b === 0n ? zero : int(run(a, b)))),
  fn(`${name}(uint, uint): uint`, (a: Uint, b: Uint) => (zero && b.value === 0n ? zero : uint(run(a.value, b.value)))),
  ...(real ? [fn(`${name}(double, double): double`, (a: number, b: number) => real(a, b))] : []),
];

const MAX_NANOS = 2n ** 63n - 1n;
const timestampOf = (nanos: bigint, offset = 0): Value =>
  isWithinTimes(nanos) ? new Timestamp(nanos, offset) : new Failure("timestamp overflow");
const durationOf = (nanos: bigint): Value =>
  nanos > MAX_NANOS || nanos < -MAX_NANOS - 1n ? OVERFLOW : new Duration(nanos);

/** `a + b`: lists with an operator of their own, such as sets, use it. */
const concat = (a: List, b: List): Value => a.plus?.(b) ?? new ConcatList(a, b);

/** Two concatenated lists, without a copy. */
class ConcatList extends List {
  readonly #left: List;
  readonly #right: List;
  readonly size: number;

  constructor(left: List, right: List) {
    super();
    // A list that grows by one element at a time must not become a chain.
    this.#left = left instanceof ConcatList ? left.#flat() : left;
    this.#right = right;
    this.size = left.size + right.size;
  }

  at(index: number): Value {
    return index < this.#left.size ? this.#left.at(index) : this.#right.at(index - this.#left.size);
  }

  #flat(): List {
    return this.#left instanceof AppendableList && this.#left.canAppend(this.#left.size)
      ? this.#left.append(this.#right)
      : new AppendableList([...this.#left, ...this.#right]);
  }
}

/** A list to which elements can be appended without a copy. */
class AppendableList extends List {
  readonly #values: Value[];
  readonly size: number;

  constructor(values: Value[], size: number = values.length) {
    super();
    this.#values = values;
    this.size = size;
  }

  at(index: number): Value {
    return this.#values[index]!;
  }

  /** Whether nothing has been appended since the list had this size. */
  canAppend(size: number): boolean {
    return this.#values.length === size;
  }

  append(more: List): AppendableList {
    for (const value of more) this.#values.push(value);
    return new AppendableList(this.#values);
  }
}

/** In the order of the types: for arguments of the type dyn the first overload counts. */
const ADD: Overload[] = [
  ...arithmetic(
    "_+_",
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  fn("_+_(string, string): string", (a: string, b: string) => a + b, CONCAT),
  fn("_+_(bytes, bytes): bytes", (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])), CONCAT),
  fn("_+_(list<A>, list<A>): list<A>", concat, CONCAT_LISTS),
  fn("_+_(duration, duration): duration", (a: Duration, b: Duration) => durationOf(a.nanos + b.nanos)),
  fn("_+_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => timestampOf(a.nanos + b.nanos, a.offset)),
  fn("_+_(duration, timestamp): timestamp", (a: Duration, b: Timestamp) => timestampOf(a.nanos + b.nanos, b.offset)),
].toSorted((a, b) => compareTexts(typeText(a.params[0]!), typeText(b.params[0]!)));

const SUBTRACT: Overload[] = [
  ...arithmetic(
    "_-_",
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  fn("_-_(duration, duration): duration", (a: Duration, b: Duration) => durationOf(a.nanos - b.nanos)),
  fn("_-_(timestamp, timestamp): duration", (a: Timestamp, b: Timestamp) => durationOf(a.nanos - b.nanos)),
  fn("_-_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => timestampOf(a.nanos - b.nanos, a.offset)),
];

const NUMBERS = ["int", "uint", "double"];
const ORDERED = ["bool", ...NUMBERS, "string", "bytes", "timestamp", "duration"];

/** Compares values of one type, and numbers of different types. */
function ordering(name: string, holds: (order: number) => boolean): Overload[] {
  const run = (a: Value, b: Value): Value => {
    const order = compare(a, b);
    if (order === undefined) return NO_OVERLOAD;
    return Number.isNaN(order) ? NOT_ORDERED : holds(order);
  };
  const isText = (type: string): boolean => type === "string" || type === "bytes";
  return [
    ...ORDERED.map((type) => fn(`${name}(${type}, ${type}): bool`, run, isText(type) ? COMPARE : {})),
    ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => fn(`${name}(${a}, ${b}): bool`, run))),
  ];
}

/** The element of a list; the index may be an integer of any number type. */
const at = (list: List, index: Value): Value => {
  const position = positionOf(index);
  if (position instanceof Failure) return position;
  return position < 0n || position >= list.size
    ? new Failure(`index out of bounds: ${keyShown(index)}`)
    : list.at(Number(position));
};

function positionOf(index: Value): bigint | Failure {
  if (typeof index === "bigint") return index;
  const isDouble = typeof index === "number";
  if (!isDouble && !(index instanceof Uint)) {
    return new Failure(`unsupported index type '${typeNameOf(index)}' in list`);
  }
  const position = isDouble ? (Number.isInteger(index) ? BigInt(index) : MAX_INT64 + 1n) : index.value;
  if (position <= MAX_INT64 && position >= MIN_INT64 && !(isDouble && position === MIN_INT64)) return position;
  return new Failure(`unsupported index value ${isDouble ? doubleText(index) : index.value} in list`);
}

/** The element or the member of a key; a failure where there is none. */
export function indexed(of: Value, key: Value): Value {
  if (of instanceof List) return at(of, key);
  if (of instanceof EmptyMessage) return noField(key);
  // Other values have no keys.
  const member = of instanceof Dict ? of.get(key) : undefined;
  return member === undefined ? new Failure(`no such key: ${keyShown(key)}`) : member;
}

/** The failure of a field that a message does not have. */
const noField = (name: Value): Failure =>
  typeof name === "string" ? new Failure(`no such field '${name}'`) : NO_OVERLOAD;

/** A key in an error message. */
const keyShown = (key: Value): string =>
  key instanceof Uint ? String(key.value) : typeof key === "number" ? doubleText(key) : String(key as string);

/** The element or the member of a key; undefined where there is none, a failure for an invalid key. */
export function found(of: Value, key: Value): Value | undefined {
  if (of instanceof List) {
    const position = positionOf(key);
    if (position instanceof Failure) return position;
    return position < 0n || position >= of.size ? undefined : of.at(Number(position));
  }
  if (of instanceof EmptyMessage) return noField(key);
  return of instanceof Dict ? of.get(key) : undefined;
}

const isIn = (value: Value, container: Value): Value => {
  if (container instanceof Lazy) return NO_OVERLOAD;
  if (container instanceof Dict) return container.get(value) !== undefined;
  if (!(container instanceof List)) return NO_OVERLOAD;
  for (const one of container) if (equals(one, value)) return true;
  return false;
};

const EQUAL_SPECIAL = new Set([
  "kubernetes.Quantity",
  "net.IP",
  "net.CIDR",
  "kubernetes.Semver",
  "kubernetes.URL",
  "kubernetes.NamedFormat",
]);

/** Equality of values of libraries costs one unit, that of others a traversal of the shorter one. */
const EQUALITY: Cost = {
  estimate: (estimating, target, args) => {
    const [a, b] = args;
    const name = a!.type.name;
    if (EQUAL_SPECIAL.has(name) && name === b!.type.name) {
      if (name === "kubernetes.NamedFormat") return { cost: times({ min: 1n, max: 64n }, WALK) };
      if (name !== "kubernetes.URL") return { cost: exactly(1) };
    }
    return COMPARE.estimate!(estimating, target, args);
  },
  spend: ([a, b], result) => (EQUAL_SPECIAL.has(typeNameOf(a!)) ? 1 : COMPARE.spend!([a!, b!], result)),
};

/** Values of libraries have no equality with values of other types. */
function equality(a: Value, b: Value): Value {
  if (a instanceof Opaque && EQUAL_SPECIAL.has(a.typeName) && typeNameOf(b) !== a.typeName) return NO_OVERLOAD;
  return equals(a, b);
}

const fromDouble = (value: number): Value =>
  !Number.isFinite(value) || value >= 2 ** 63 || value <= -(2 ** 63) ? OVERFLOW : BigInt(Math.trunc(value));
const uintOfDouble = (value: number): Value =>
  !Number.isFinite(value) || value >= 2 ** 64 || value < 0 ? UINT_OVERFLOW : new Uint(BigInt(Math.trunc(value)));

const conversion = (from: string, to: string): Failure =>
  new Failure(`type conversion error from '${from}' to '${to}'`);

const intOf = (text: string): Value => parseGoInt(text) ?? conversion("string", "int");

function uintOf(text: string): Value {
  const value = parseGoUint(text);
  return value === undefined ? conversion("string", "uint") : new Uint(value);
}

/** @throws WorkTooLong */
const doubleOf = (text: string): Value => parseGoFloat(text) ?? conversion("string", "double");

function boolOf(text: string): Value {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  return conversion("string", "bool");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOfBytes(value: Uint8Array): Value {
  try {
    return utf8.decode(value);
  } catch {
    return new Failure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** The shortest text of a double, with an exponent where it is very large or small. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [digits, power] = value.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

const identity = (value: Value): Value => value;
const fold = (signature: string, run: (...args: never[]) => Value, cost: Cost = {}): Overload =>
  fn(signature, run, cost, true);
const SECOND = 1_000_000_000n;

const CONVERSIONS: Overload[] = [
  ...["bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"].map((type) =>
    fold(`${type}(${type}): ${type}`, identity),
  ),
  fold("bool(string): bool", boolOf),
  fold("bytes(string): bytes", (text: string) => new Uint8Array(Buffer.from(text)), {
    estimate: (estimating, _target, args) => {
      const { min, max } = estimating.size(args[0]!);
      return { cost: times({ min, max }, WALK), size: { min, max: BigInt.asUintN(64, max * 4n) } };
    },
    spend: walk(WALK).spend!,
  }),
  fold("double(int): double", (value: bigint) => Number(value)),
  fold("double(uint): double", (value: Uint) => Number(value.value)),
  fold("double(string): double", doubleOf),
  fold(
    "duration(string): duration",
    (text: string) => durationIn(text) ?? conversion("string", "google.protobuf.Duration"),
  ),
  fold("duration(int): duration", () => conversion("int", "google.protobuf.Duration")),
  fold("int(double): int", fromDouble),
  fold("int(uint): int", (value: Uint) => int(value.value)),
  fold("int(string): int", intOf),
  fold("int(timestamp): int", (value: Timestamp) => floorDivided(value.nanos, SECOND)),
  fold("int(duration): int", (value: Duration) => value.nanos),
  fold("string(bool): string", (value: boolean) => String(value)),
  fold("string(int): string", (value: bigint) => String(value)),
  fold("string(uint): string", (value: Uint) => String(value.value)),
  fold("string(double): string", doubleText),
  fold("string(bytes): string", textOfBytes, {
    estimate: (estimating, _target, args) => {
      const { min, max } = estimating.size(args[0]!);
      return { cost: times({ min, max }, WALK), size: { min: min / 4n, max } };
    },
    spend: walk(WALK).spend!,
  }),
  fold("string(timestamp): string", timestampText),
  fold("string(duration): string", (value: Duration) => durationText(value)),
  fold("timestamp(string): timestamp", (text: string) => {
    const parsed = timestampIn(text);
    return parsed ? timestampOf(parsed.nanos, parsed.offset) : conversion("string", "google.protobuf.Timestamp");
  }),
  fold("timestamp(int): timestamp", (value: bigint) => timestampOf(value * SECOND)),
  fold("uint(int): uint", (value: bigint) => uint(value)),
  fold("uint(double): uint", uintOfDouble),
  fold("uint(string): uint", uintOf),
  fold("dyn(A): dyn", identity),
  fold("type(A): type<A>", (value: Value) => new TypeValue(typeNameOf(value))),
];

const floorDivided = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b));

const SIZES: Overload[] = ["string", "bytes", "list<A>", "map<A, B>"].flatMap((type) => {
  const run = (value: Value): Value => {
    if (typeof value === "string") return BigInt(pointsOf(value));
    if (value instanceof Uint8Array) return BigInt(value.length);
    if (value instanceof Lazy) return NO_OVERLOAD;
    return value instanceof List || value instanceof Dict ? BigInt(value.size) : NO_OVERLOAD;
  };
  return [fn(`size(${type}): int`, run), fn(`${type}.size(): int`, run)];
});

type Part = (date: CalendarDate) => number;
const PARTS: Readonly<Record<string, Part>> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month - 1,
  getDayOfYear: ({ dayOfYear }) => dayOfYear,
  getDayOfMonth: ({ day }) => day - 1,
  getDate: ({ day }) => day,
  getDayOfWeek: ({ weekday }) => weekday,
  getHours: ({ hours }) => hours,
  getMinutes: ({ minutes }) => minutes,
  getSeconds: ({ seconds }) => seconds,
  getMilliseconds: ({ milliseconds }) => milliseconds,
};

const partOf = (part: Part, time: Timestamp, zone: string): Value => {
  const date = dateOf(time, zone);
  return date instanceof Failure ? date : BigInt(part(date));
};

const UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: SECOND,
  getMilliseconds: 1_000_000n,
};

const TIMES: Overload[] = [
  ...Object.entries(PARTS).flatMap(([name, part]) => [
    fn(`timestamp.${name}(): int`, (time: Timestamp) => partOf(part, time, "UTC")),
    fn(`timestamp.${name}(string): int`, (time: Timestamp, zone: string) => partOf(part, time, zone)),
  ]),
  ...Object.entries(UNITS).map(([name, unit]) => fn(`duration.${name}(): int`, ({ nanos }: Duration) => nanos / unit)),
];

const matches = (text: string, pattern: string): Value => {
  const compiled = patternOf(pattern);
  return compiled instanceof Failure ? compiled : compiled.test(text);
};

const isUnset = (value: Value): boolean => {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof List || value instanceof Dict) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.nanos === -62_135_596_800_000_000_000n;
  if (value instanceof EmptyMessage) return value.unknown.length === 0;
  return value instanceof Optional && value.value === undefined;
};

const OPTIONALS: Overload[] = [
  fn("|optional.of(A): optional<A>", (value: Value) => new Optional(value)),
  fn("|optional.ofNonZeroValue(A): optional<A>", (value: Value) => (isUnset(value) ? NONE : new Optional(value))),
  fn("|optional.none(): optional<A>", () => NONE),
  fn("optional<A>.value(): A", ({ value }: Optional) => value ?? new Failure("optional.none() dereference")),
  fn("optional<A>.hasValue(): bool", ({ value }: Optional) => value !== undefined),
  fn("optional<A>.or(optional<A>): optional<A>", (a: Optional, b: Optional) => (a.value === undefined ? b : a)),
  fn("optional<A>.orValue(A): A", ({ value }: Optional, other: Value) => value ?? other),
  ...["|optional.unwrap(list<optional<A>>): list<A>", "list<optional<A>>.unwrapOpt(): list<A>"].map((signature) =>
    fn(
      signature,
      (list: List) =>
        new Values([...list].flatMap((one) => (one instanceof Optional && one.value !== undefined ? [one.value] : []))),
    ),
  ),
  fn("list<A>.first(): optional<A>", (list: List) => (list.size === 0 ? NONE : new Optional(list.at(0)))),
  fn("list<A>.last(): optional<A>", (list: List) => (list.size === 0 ? NONE : new Optional(list.at(list.size - 1)))),
];

/** Adds an entry to a map; the key must be new. */
function inserted(of: Value, key: Value, value: Value): Value {
  if (!(of instanceof Dict)) return NO_OVERLOAD;
  if (of.get(key) !== undefined) return new Failure(`insert failed: key ${keyShown(key)} already exists`);
  if (!isKey(key)) return new Failure(`unsupported key type: ${typeNameOf(key)}`);
  return new Entries([...entriesOf(of), [key, value]]);
}

function* entriesOf(of: Dict): Iterable<readonly [Value, Value]> {
  for (const key of of.keys()) yield [key, of.get(key)!];
}

function insertedAll(of: Value, more: Value): Value {
  let map = of;
  if (!(more instanceof Dict)) return NO_OVERLOAD;
  for (const [key, value] of entriesOf(more)) {
    map = inserted(map, key, value);
    if (map instanceof Failure) return map;
  }
  return map;
}

const neverRun = (): Value => NO_OVERLOAD;

/** The functions of the language. The planner implements logical operators, since they may ignore failures. */
export const STANDARD_FUNCTIONS: readonly Overload[] = [
  fn("_?_:_(bool, A, A): A", neverRun),
  fn("_&&_(bool, bool): bool", neverRun),
  fn("_||_(bool, bool): bool", neverRun),
  fn("@not_strictly_false(bool): bool", neverRun),
  fn("!_(bool): bool", (value: boolean) => !value),
  fn("_==_(A, A): bool", equality, EQUALITY),
  fn("_!=_(A, A): bool", (a: Value, b: Value) => !equals(a, b), COMPARE),
  fn("_[_](list<A>, int): A", indexed),
  fn("_[_](map<A, B>, A): B", indexed),
  fn("_[?_](list<A>, int): optional<A>", neverRun),
  fn("_[_](optional<list<A>>, int): optional<A>", neverRun),
  fn("_[?_](optional<list<A>>, int): optional<A>", neverRun),
  fn("_[?_](map<A, B>, A): optional<B>", neverRun),
  fn("_[_](optional<map<A, B>>, A): optional<B>", neverRun),
  fn("_[?_](optional<map<A, B>>, A): optional<B>", neverRun),
  fn("|_?._(dyn, string): optional<A>", neverRun),
  fn("@in(A, list<A>): bool", isIn, IN_LIST),
  fn("@in(A, map<A, B>): bool", isIn),
  ...ADD,
  ...SUBTRACT,
  ...arithmetic(
    "_*_",
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  ...arithmetic(
    "_/_",
    (a, b) => a / b,
    (a, b) => a / b,
    ZERO_DIVISION,
  ),
  // The remainder is 0, but the division of the smallest int overflows.
  ...arithmetic("_%_", (a, b) => (a === MIN_INT64 && b === -1n ? MAX_INT64 + 1n : a % b), undefined, ZERO_MODULUS),
  fn("-_(int): int", (value: bigint) => int(-value)),
  fn("-_(double): double", (value: number) => -value),
  ...ordering("_<_", (order) => order < 0),
  ...ordering("_<=_", (order) => order <= 0),
  ...ordering("_>_", (order) => order > 0),
  ...ordering("_>=_", (order) => order >= 0),
  ...SIZES,
  ...CONVERSIONS,
  ...TIMES,
  fn("string.contains(string): bool", (text: string, part: string) => indexIn(text, part) >= 0, CONTAINS),
  fn("string.startsWith(string): bool", (text: string, part: string) => text.startsWith(part), WALK_ARGUMENT),
  fn("string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part), WALK_ARGUMENT),
  fn("string.matches(string): bool", matches, matching(false)),
  fn("matches(string, string): bool", matches, {}),
  ...OPTIONALS,
  fn("|cel.@mapInsert(map<A, B>, A, B): map<A, B>", inserted),
  fn("|cel.@mapInsert(map<A, B>, map<A, B>): map<A, B>", insertedAll),
];
