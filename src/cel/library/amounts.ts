/**
 * Quantities and semantic versions (CEL-23, CEL-24).
 *
 * @module
 */
import { canonicalQuantity, compareQuantities, parseQuantity, quantitySign } from "../../meta/quantity.ts";
import { Failure, Opaque, type Value } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Overload, fn } from "./contract.ts";

/** A quantity, in the form in which it prints. */
export class Amount extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly text: string;
  /** Whether it was written with a fraction, so that it counts as no integer. */
  readonly written: string;

  constructor(text: string, written: string = text) {
    super();
    this.text = text;
    this.written = written;
  }

  equals(other: Opaque): boolean {
    return other instanceof Amount && compareQuantities(this.text, other.text) === 0;
  }
}

const FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const amountIn = (text: string): Value => {
  const canonical = /^\s|\s$/.test(text) ? undefined : canonicalQuantity(text);
  return canonical === undefined ? new Failure(FORM) : new Amount(canonical, text);
};

/** The whole number that a quantity is, where 64 bits hold it and it was written as one. */
function wholeOf({ text, written }: Amount): bigint | undefined {
  const parsed = parseQuantity(written) ?? parseQuantity(text)!;
  const { mantissa, exponent, family } = parsed;
  // A quantity in powers of two that is too large was cut.
  if (family === "binary" && mantissa >= 2n ** 63n - 1n) return undefined;
  if (exponent < 0) {
    const unit = 10n ** BigInt(-exponent);
    if (written.includes(".") || mantissa % unit !== 0n) return undefined;
    return mantissa / unit;
  }
  if (exponent > 30) return undefined;
  const value = mantissa * 10n ** BigInt(exponent);
  return value > 2n ** 63n - 1n || value < -(2n ** 63n) ? undefined : value;
}

const combined = (a: Amount, b: Amount, sign: bigint): Value => {
  const [x, y] = [parseQuantity(a.text)!, parseQuantity(b.text)!];
  const exponent = Math.min(x.exponent, y.exponent);
  if (Math.max(x.exponent, y.exponent) - exponent > 2000) return new Failure("quantity overflow");
  const raised = ({ mantissa, exponent: own }: typeof x): bigint => mantissa * 10n ** BigInt(own - exponent);
  const sum = raised(x) + sign * raised(y);
  return new Amount(printed(sum, exponent, a.text, x.mantissa === 0n ? b.text : a.text));
};

const SUFFIX = /(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+|[a-zA-Z]?)$/;

/** A number in the family of another. */
function printed(mantissa: bigint, exponent: number, _first: string, like: string): string {
  const [, suffix = ""] = SUFFIX.exec(like) ?? [];
  const plain = exponent >= 0 ? `${mantissa}${"0".repeat(exponent)}` : decimal(mantissa, -exponent);
  if (!suffix.endsWith("i")) return canonicalQuantity(/^[eE]/.test(suffix) ? `${plain}e0` : plain) ?? plain;
  return canonicalQuantity(`${plain}`.includes(".") ? plain : binary(plain)) ?? plain;
}

const decimal = (mantissa: bigint, places: number): string => {
  const digits = (mantissa < 0n ? -mantissa : mantissa).toString().padStart(places + 1, "0");
  return `${mantissa < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

/** A whole number as so many Ki, where it is. */
const binary = (text: string): string => {
  const value = BigInt(text);
  return value % 1024n === 0n && value !== 0n ? `${value / 1024n}Ki` : text;
};

const amountOf = (value: bigint): Amount => new Amount(canonicalQuantity(String(value))!);
const compared = (a: Amount, b: Amount): bigint => BigInt(Math.sign(compareQuantities(a.text, b.text)));

function approximate({ text }: Amount): number {
  const { mantissa, exponent } = parseQuantity(text)!;
  return Number(`${mantissa}e${exponent}`);
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
    if (!/^\d+$/.test(part))
      return new Failure(`Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(part)}`);
    if (part.length > 1 && part.startsWith("0"))
      return new Failure(`${name} number must not contain leading zeroes ${JSON.stringify(part)}`);
    if (BigInt(part) > MOST_NUMBER) {
      return new Failure(`strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range`);
    }
    numbers.push(BigInt(part));
  }
  const pre = preText === undefined ? [] : preText.split(".");
  for (const part of pre) {
    if (part === "") return new Failure("prerelease is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new Failure(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
    if (/^0\d+$/.test(part))
      return new Failure(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`);
  }
  const build = buildText === undefined ? [] : buildText.split(".");
  for (const part of build) {
    if (part === "") return new Failure("Build meta data is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new Failure(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
  }
  return new Version(numbers as unknown as readonly [bigint, bigint, bigint], pre, build);
}

/** A version that may lack parts, begin with v and have zeros in front. */
function normalised(text: string): Version | Failure {
  const parts = text.trim().replace(/^v/, "").split(".");
  const three = parts.length > 3 ? [...parts.slice(0, 2), parts.slice(2).join(".")] : parts;
  const short = three.map((part) => {
    const plain = part.replace(/^0+(?=\d)/, "");
    return plain === "" || !/^\d/.test(plain) ? part : plain;
  });
  if (short.length < 3) {
    if (/[+-]/.test(short.at(-1)!)) return new Failure("short version cannot contain PreRelease/Build meta data");
    while (short.length < 3) short.push("0");
  }
  return versionIn(short.join("."));
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
  fn("Quantity.add(Quantity): Quantity", (a: Amount, b: Amount) => combined(a, b, 1n), ONE),
  fn("Quantity.add(int): Quantity", (a: Amount, b: bigint) => combined(a, amountOf(b), 1n), ONE),
  fn("Quantity.sub(Quantity): Quantity", (a: Amount, b: Amount) => combined(a, b, -1n), ONE),
  fn("Quantity.sub(int): Quantity", (a: Amount, b: bigint) => combined(a, amountOf(b), -1n), ONE),
  fn("semver(string): Semver", (text: string) => read(text, false), WALKED),
  fn("semver(string, bool): Semver", read, WALKED),
  fn("isSemver(string): bool", (text: string) => read(text, false) instanceof Version, WALKED),
  fn("isSemver(string, bool): bool", (text: string, loose: boolean) => read(text, loose) instanceof Version, WALKED),
  fn("Semver.major(): int", ({ numbers }: Version) => numbers[0], ONE),
  fn("Semver.minor(): int", ({ numbers }: Version) => numbers[1], ONE),
  fn("Semver.patch(): int", ({ numbers }: Version) => numbers[2], ONE),
  fn("Semver.isGreaterThan(Semver): bool", (a: Version, b: Version) => compareVersions(a, b) > 0, ONE),
  fn("Semver.isLessThan(Semver): bool", (a: Version, b: Version) => compareVersions(a, b) < 0, ONE),
  fn("Semver.compareTo(Semver): int", (a: Version, b: Version) => BigInt(compareVersions(a, b)), ONE),
];
