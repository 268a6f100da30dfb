/**
 * The libraries of quantities and semantic versions (CEL-23, CEL-24).
 *
 * @module
 */
import {
  type ScaledQuantity,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  quantitySign,
  scaledQuantity,
  subtractQuantities,
  quantityFault,
} from "../../meta/quantity.ts";
import { goQuoted } from "../../util/go-quote.ts";
import { Failure, Opaque, type Value } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Overload, fn } from "./contract.ts";

/** A quantity in its canonical form. */
export class Quantity extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly text: string;
  /** The int64 and scale of kube-apiserver; undefined for quantities that it stores as decimals, which have no integer. */
  readonly scaled: ScaledQuantity | undefined;

  /** The text as written, whose digits matter for the approximate float. */
  readonly written: string;

  constructor(text: string, scaled: ScaledQuantity | undefined, written: string = text) {
    super();
    this.text = text;
    this.scaled = scaled;
    this.written = written;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && compareQuantities(this.text, other.text) === 0;
  }
}

function quantityIn(text: string): Value {
  const why = quantityFault(text);
  return why === undefined
    ? new Quantity(canonicalQuantity(text, true)!, scaledQuantity(text), text)
    : new Failure(why);
}

/** The integer of a quantity; undefined where it has a fraction or exceeds 64 bits. */
function wholeOf({ scaled }: Quantity): bigint | undefined {
  if (!scaled || scaled.scale < 0) return undefined;
  return fitting(scaled.value * 10n ** BigInt(Math.min(scaled.scale, MAX_SCALE)));
}

/** With a larger scale only 0 fits into 64 bits. */
const MAX_SCALE = 19;

const fitting = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined);

function added(a: Quantity, b: Quantity): Value {
  return new Quantity(addQuantities(a.text, b.text), scaledSum(a.scaled, b.scaled));
}

/** The sum as an int64 with the smaller scale; undefined beyond 64 bits. */
function scaledSum(a: ScaledQuantity | undefined, b: ScaledQuantity | undefined): ScaledQuantity | undefined {
  if (!a || !b) return undefined;
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > MAX_SCALE) return undefined;
  const raised = (one: ScaledQuantity): bigint | undefined => fitting(one.value * 10n ** BigInt(one.scale - scale));
  const [x, y] = [raised(a), raised(b)];
  const value = x === undefined || y === undefined ? undefined : fitting(x + y);
  return value === undefined ? undefined : { value, scale };
}

const negated = ({ text, scaled }: Quantity): Quantity =>
  new Quantity(subtractQuantities("0", text), scaled && { ...scaled, value: -scaled.value });

const quantityOf = (value: bigint): Quantity => new Quantity(canonicalQuantity(String(value))!, { value, scale: 0 });
const compared = (a: Quantity, b: Quantity): bigint => BigInt(Math.sign(compareQuantities(a.text, b.text)));

/** The digits as a double, times a power of ten, which is not always the nearest double of the quantity. */
function approximate({ scaled, written }: Quantity): number {
  const { mantissa, exponent } = scaled ? { mantissa: scaled.value, exponent: scaled.scale } : parseQuantity(written)!;
  return exponent === 0 ? Number(mantissa) : Number(mantissa) * Number(`1e${exponent}`);
}

/** A semantic version (SemVer 2.0.0). */
export class SemanticVersion extends Opaque {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
  readonly build: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
    this.build = build;
  }

  equals(other: Opaque): boolean {
    return other instanceof SemanticVersion && compareVersions(this, other) === 0;
  }

  get text(): string {
    const pre = this.pre.length === 0 ? "" : `-${this.pre.join(".")}`;
    return `${this.numbers.join(".")}${pre}${this.build.length === 0 ? "" : `+${this.build.join(".")}`}`;
  }
}

const MAX_UINT64 = 2n ** 64n - 1n;

const NAMES = ["Major", "Minor", "Patch"] as const;
const ALPHANUMERIC = /^[0-9A-Za-z-]+$/;

/** Parses digits without leading zeros. */
function numberIn(digits: string): bigint | Failure {
  const why = digits === "" ? "invalid syntax" : "value out of range";
  const number = digits === "" || digits.length > 20 ? undefined : BigInt(digits);
  return number !== undefined && number <= MAX_UINT64
    ? number
    : new Failure(`strconv.ParseUint: parsing ${goQuoted(digits)}: ${why}`);
}

/** Parses a version. */
function versionIn(text: string): SemanticVersion | Failure {
  if (text === "") return new Failure("Version string empty");
  const [major = "", minor = "", ...rest] = text.split(".");
  if (rest.length === 0) return new Failure("No Major.Minor.Patch elements found");
  const [, patch = "", preText, buildText] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join(".")) ?? [];
  const numbers: [bigint, bigint, bigint] = [0n, 0n, 0n];
  for (const [i, part] of [major, minor, patch].entries()) {
    const name = NAMES[i]!;
    if (!/^\d*$/.test(part))
      return new Failure(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuoted(part)}`);
    if (part.length > 1 && part.startsWith("0"))
      return new Failure(`${name} number must not contain leading zeroes ${goQuoted(part)}`);
    const number = numberIn(part);
    if (number instanceof Failure) return number;
    numbers[i] = number;
  }
  const pre = preText === undefined ? [] : preText.split(".");
  for (const part of pre) {
    if (part === "") return new Failure("Prerelease is empty");
    if (!ALPHANUMERIC.test(part)) return new Failure(`Invalid character(s) found in prerelease ${goQuoted(part)}`);
    if (/^0\d+$/.test(part))
      return new Failure(`Numeric PreRelease version must not contain leading zeroes ${goQuoted(part)}`);
    const number = /^\d+$/.test(part) ? numberIn(part) : undefined;
    if (number instanceof Failure) return number;
  }
  const build = buildText === undefined ? [] : buildText.split(".");
  for (const part of build) {
    if (part === "") return new Failure("Build meta data is empty");
    if (!ALPHANUMERIC.test(part)) return new Failure(`Invalid character(s) found in build meta data ${goQuoted(part)}`);
  }
  return new SemanticVersion(numbers, pre, build);
}

/** Parses a version that may lack parts, begin with v and have leading zeros. */
function normalised(text: string): SemanticVersion | Failure {
  const parts = text.replace(/^v/, "").split(".");
  const three = parts.length > 3 ? [...parts.slice(0, 2), parts.slice(2).join(".")] : parts;
  const short = three.map(withoutZeros);
  if (short.length < 3) {
    if (/[+-]/.test(short.at(-1)!)) return new Failure("short version cannot contain PreRelease/Build meta data");
    while (short.length < 3) short.push("0");
  }
  return versionIn(short.join("."));
}

/** A part without leading zeros, which still begins with a digit. */
function withoutZeros(part: string): string {
  if (Buffer.byteLength(part) < 2) return part;
  const plain = part.replace(/^0+/, "");
  return /^\d/.test(plain) ? plain : `0${plain}`;
}

function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (let i = 0; i < 3; i++) {
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! < b.numbers[i]! ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [isX, isY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isX && isY) return BigInt(x) < BigInt(y) ? -1 : 1;
    if (isX !== isY) return isX ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

const read = (text: string, loose: boolean): SemanticVersion | Failure => (loose ? normalised(text) : versionIn(text));
const WALKED = walk(WALK);

/** Functions on quantities and versions. */
export const QUANTITY_FUNCTIONS: readonly Overload[] = [
  fn("quantity(string): Quantity", quantityIn, WALKED),
  fn("isQuantity(string): bool", (text: string) => quantityIn(text) instanceof Quantity, WALKED),
  fn("sign(Quantity): int", ({ text }: Quantity) => BigInt(quantitySign(text)), ONE),
  fn("Quantity.isInteger(): bool", (value: Quantity) => wholeOf(value) !== undefined, ONE),
  fn(
    "Quantity.asInteger(): int",
    (value: Quantity) => wholeOf(value) ?? new Failure("cannot convert value to integer"),
    ONE,
  ),
  fn("Quantity.asApproximateFloat(): double", approximate, ONE),
  fn("Quantity.isGreaterThan(Quantity): bool", (a: Quantity, b: Quantity) => compared(a, b) > 0n, ONE),
  fn("Quantity.isLessThan(Quantity): bool", (a: Quantity, b: Quantity) => compared(a, b) < 0n, ONE),
  fn("Quantity.compareTo(Quantity): int", compared, ONE),
  fn("Quantity.add(Quantity): Quantity", added, ONE),
  fn("Quantity.add(int): Quantity", (a: Quantity, b: bigint) => added(a, quantityOf(b)), ONE),
  fn("Quantity.sub(Quantity): Quantity", (a: Quantity, b: Quantity) => added(a, negated(b)), ONE),
  fn("Quantity.sub(int): Quantity", (a: Quantity, b: bigint) => added(a, quantityOf(-b)), ONE),
  fn("semver(string): Semver", (text: string) => read(text, false), WALKED),
  fn("semver(string, bool): Semver", read, WALKED),
  fn("isSemver(string): bool", (text: string) => read(text, false) instanceof SemanticVersion, WALKED),
  fn(
    "isSemver(string, bool): bool",
    (text: string, loose: boolean) => read(text, loose) instanceof SemanticVersion,
    WALKED,
  ),
  fn("Semver.major(): int", ({ numbers }: SemanticVersion) => BigInt.asIntN(64, numbers[0]), ONE),
  fn("Semver.minor(): int", ({ numbers }: SemanticVersion) => BigInt.asIntN(64, numbers[1]), ONE),
  fn("Semver.patch(): int", ({ numbers }: SemanticVersion) => BigInt.asIntN(64, numbers[2]), ONE),
  fn("Semver.isGreaterThan(Semver): bool", (a: SemanticVersion, b: SemanticVersion) => compareVersions(a, b) > 0, ONE),
  fn("Semver.isLessThan(Semver): bool", (a: SemanticVersion, b: SemanticVersion) => compareVersions(a, b) < 0, ONE),
  fn("Semver.compareTo(Semver): int", (a: SemanticVersion, b: SemanticVersion) => BigInt(compareVersions(a, b)), ONE),
];
