/**
 * Quantities and semantic versions (CEL-23, CEL-24).
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

/** A quantity, in the form in which it prints. */
export class Amount extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly text: string;
  /** Its number where a real server counts it in an int64; of others it knows no integer. */
  readonly scaled: ScaledQuantity | undefined;

  /** As it was written: digits that make no difference make one to what it is near. */
  readonly written: string;

  constructor(text: string, scaled: ScaledQuantity | undefined, written: string = text) {
    super();
    this.text = text;
    this.scaled = scaled;
    this.written = written;
  }

  equals(other: Opaque): boolean {
    return other instanceof Amount && compareQuantities(this.text, other.text) === 0;
  }
}

function amountIn(text: string): Value {
  const why = quantityFault(text);
  return why === undefined ? new Amount(canonicalQuantity(text, true)!, scaledQuantity(text), text) : new Failure(why);
}

/** The whole number that a quantity is, where 64 bits hold it and it was made of whole ones. */
function wholeOf({ scaled }: Amount): bigint | undefined {
  if (!scaled || scaled.scale < 0) return undefined;
  return fitting(scaled.value * 10n ** BigInt(Math.min(scaled.scale, MOST_SCALE)));
}

/** Beyond it no number but 0 fits. */
const MOST_SCALE = 19;

const fitting = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined);

function added(a: Amount, b: Amount): Value {
  return new Amount(addQuantities(a.text, b.text), scaledSum(a.scaled, b.scaled));
}

/** The sum as an int64 in the smaller of the units, where one holds it. */
function scaledSum(a: ScaledQuantity | undefined, b: ScaledQuantity | undefined): ScaledQuantity | undefined {
  if (!a || !b) return undefined;
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > MOST_SCALE) return undefined;
  const raised = (one: ScaledQuantity): bigint | undefined => fitting(one.value * 10n ** BigInt(one.scale - scale));
  const [x, y] = [raised(a), raised(b)];
  const value = x === undefined || y === undefined ? undefined : fitting(x + y);
  return value === undefined ? undefined : { value, scale };
}

const negated = ({ text, scaled }: Amount): Amount =>
  new Amount(subtractQuantities("0", text), scaled && { ...scaled, value: -scaled.value });

const amountOf = (value: bigint): Amount => new Amount(canonicalQuantity(String(value))!, { value, scale: 0 });
const compared = (a: Amount, b: Amount): bigint => BigInt(Math.sign(compareQuantities(a.text, b.text)));

/** The digits as a double, times a power of ten: that is not always the double that is next to the number. */
function approximate({ scaled, written }: Amount): number {
  const { mantissa, exponent } = scaled ? { mantissa: scaled.value, exponent: scaled.scale } : parseQuantity(written)!;
  return exponent === 0 ? Number(mantissa) : Number(mantissa) * Number(`1e${exponent}`);
}

/** A semantic version (SemVer 2.0.0). */
export class Version extends Opaque {
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
    return other instanceof Version && compareVersions(this, other) === 0;
  }

  get text(): string {
    const pre = this.pre.length === 0 ? "" : `-${this.pre.join(".")}`;
    return `${this.numbers.join(".")}${pre}${this.build.length === 0 ? "" : `+${this.build.join(".")}`}`;
  }
}

const MOST_NUMBER = 2n ** 64n - 1n;

const NAMES = ["Major", "Minor", "Patch"] as const;
const ALPHANUMERIC = /^[0-9A-Za-z-]+$/;

/** The number that digits without a zero in front are. */
function numberIn(digits: string): bigint | Failure {
  const why = digits === "" ? "invalid syntax" : "value out of range";
  const number = digits === "" || digits.length > 20 ? undefined : BigInt(digits);
  return number !== undefined && number <= MOST_NUMBER
    ? number
    : new Failure(`strconv.ParseUint: parsing ${goQuoted(digits)}: ${why}`);
}

/** A version, or why a text is none. */
function versionIn(text: string): Version | Failure {
  if (text === "") return new Failure("Version string empty");
  const parts = text.split(".");
  const three = [parts[0]!, parts[1], parts.length > 2 ? parts.slice(2).join(".") : undefined];
  if (three[2] === undefined) return new Failure("No Major.Minor.Patch elements found");
  const [, core = "", preText, buildText] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(three[2])!;
  const numbers: bigint[] = [];
  for (const [i, part] of [three[0]!, three[1]!, core].entries()) {
    const name = NAMES[i]!;
    if (!/^\d*$/.test(part))
      return new Failure(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuoted(part)}`);
    if (part.length > 1 && part.startsWith("0"))
      return new Failure(`${name} number must not contain leading zeroes ${goQuoted(part)}`);
    const number = numberIn(part);
    if (number instanceof Failure) return number;
    numbers.push(number);
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
  return new Version(numbers as unknown as readonly [bigint, bigint, bigint], pre, build);
}

/** A version that may lack parts, begin with v and have zeros in front. */
function normalised(text: string): Version | Failure {
  const parts = text.replace(/^v/, "").split(".");
  const three = parts.length > 3 ? [...parts.slice(0, 2), parts.slice(2).join(".")] : parts;
  const short = three.map(withoutZeros);
  if (short.length < 3) {
    if (/[+-]/.test(short.at(-1)!)) return new Failure("short version cannot contain PreRelease/Build meta data");
    while (short.length < 3) short.push("0");
  }
  return versionIn(short.join("."));
}

/** A part begins with a digit then, whatever it began with. */
function withoutZeros(part: string): string {
  if (Buffer.byteLength(part) < 2) return part;
  const plain = part.replace(/^0+/, "");
  return /^\d/.test(plain) ? plain : `0${plain}`;
}

function compareVersions(a: Version, b: Version): number {
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

const read = (text: string, loose: boolean): Version | Failure => (loose ? normalised(text) : versionIn(text));
const WALKED = walk(WALK);

/** Functions on quantities and versions. */
export const AMOUNTS: readonly Overload[] = [
  fn("quantity(string): Quantity", amountIn, WALKED),
  fn("isQuantity(string): bool", (text: string) => amountIn(text) instanceof Amount, WALKED),
  fn("sign(Quantity): int", ({ text }: Amount) => BigInt(quantitySign(text)), ONE),
  fn("Quantity.isInteger(): bool", (value: Amount) => wholeOf(value) !== undefined, ONE),
  fn(
    "Quantity.asInteger(): int",
    (value: Amount) => wholeOf(value) ?? new Failure("cannot convert value to integer"),
    ONE,
  ),
  fn("Quantity.asApproximateFloat(): double", approximate, ONE),
  fn("Quantity.isGreaterThan(Quantity): bool", (a: Amount, b: Amount) => compared(a, b) > 0n, ONE),
  fn("Quantity.isLessThan(Quantity): bool", (a: Amount, b: Amount) => compared(a, b) < 0n, ONE),
  fn("Quantity.compareTo(Quantity): int", compared, ONE),
  fn("Quantity.add(Quantity): Quantity", added, ONE),
  fn("Quantity.add(int): Quantity", (a: Amount, b: bigint) => added(a, amountOf(b)), ONE),
  fn("Quantity.sub(Quantity): Quantity", (a: Amount, b: Amount) => added(a, negated(b)), ONE),
  fn("Quantity.sub(int): Quantity", (a: Amount, b: bigint) => added(a, amountOf(-b)), ONE),
  fn("semver(string): Semver", (text: string) => read(text, false), WALKED),
  fn("semver(string, bool): Semver", read, WALKED),
  fn("isSemver(string): bool", (text: string) => read(text, false) instanceof Version, WALKED),
  fn("isSemver(string, bool): bool", (text: string, loose: boolean) => read(text, loose) instanceof Version, WALKED),
  fn("Semver.major(): int", ({ numbers }: Version) => BigInt.asIntN(64, numbers[0]), ONE),
  fn("Semver.minor(): int", ({ numbers }: Version) => BigInt.asIntN(64, numbers[1]), ONE),
  fn("Semver.patch(): int", ({ numbers }: Version) => BigInt.asIntN(64, numbers[2]), ONE),
  fn("Semver.isGreaterThan(Semver): bool", (a: Version, b: Version) => compareVersions(a, b) > 0, ONE),
  fn("Semver.isLessThan(Semver): bool", (a: Version, b: Version) => compareVersions(a, b) < 0, ONE),
  fn("Semver.compareTo(Semver): int", (a: Version, b: Version) => BigInt(compareVersions(a, b)), ONE),
];
