/**
 * The supported formats of texts. Others are ignored (KEP-5080 has the list).
 *
 * @module
 */
import { addressBytes, networkOf } from "../../meta/addresses.ts";
import { dnsLabel, dnsSubdomain } from "../../meta/names.ts";
import { parseGoAddress } from "../../util/go-address.ts";
import { parseFormatDuration } from "../../util/go-duration.ts";
import { isMailAddress } from "../../util/go-mail.ts";
import { wrongRequestUri } from "../../util/go-url.ts";
import { checkWork } from "../../util/work-limit.ts";
import { isBase64, isDate, isDateTime, isUuid } from "../../util/text-formats.ts";

/** Whether a text has a format. */
type Check = (text: string) => boolean;

const matches =
  (form: RegExp): Check =>
  (text) =>
    form.test(text);

const digitsOf = (text: string): string => text.replaceAll(/[\t\n\f\r -]+/g, "");

/** The check digit of an ISBN of ten characters. */
function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, i) => total + (i + 1) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

/** The check digit of an ISBN of thirteen. */
function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** A credit card number: its form, and the check digit after Luhn. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, "");
  if (!CARD.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, char, i) => {
      const digit = Number(char) * (i % 2 === 1 ? 2 : 1);
      return total + (digit > 9 ? digit - 9 : digit);
    }, 0);
  return sum % 10 === 0;
}

const LETTER = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
const LABEL = String.raw`${LETTER}(?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}${LETTER})?`;
/** A name of one label may have one dash, behind its first character. */
const HOST = new RegExp(String.raw`^(?:${LETTER}-?${LETTER}{0,62}|(?:${LABEL}\.)+[a-zA-Z\p{L}]{2,63})$`, "u");
const MAX_HOST_BYTES = 255;
const MAX_LABEL_BYTES = 63;

const isHostname: Check = (text) =>
  text.length <= MAX_HOST_BYTES &&
  Buffer.byteLength(text) <= MAX_HOST_BYTES &&
  HOST.test(text) &&
  text.split(".").every((label) => Buffer.byteLength(label) <= MAX_LABEL_BYTES);

/** With dots; leading zeros are accepted. */
const isIpv4: Check = (text) => text.includes(".") && addressBytes(text) !== undefined;

function isIpv6(text: string): boolean {
  const address = text.includes(":") ? parseGoAddress(text) : "";
  return typeof address !== "string" && address.zone === "";
}

const isCidr: Check = (text) => networkOf(text) !== undefined;

const HEX = String.raw`[\da-fA-F]`;
/** 6, 8 or 20 bytes between colons or hyphens, or two at a time between dots (Go's `net.ParseMAC`). */
const MAC = new RegExp(
  `^(?:${HEX}{2}(?:(?::${HEX}{2}){5}|(?::${HEX}{2}){7}|(?::${HEX}{2}){19}|(?:-${HEX}{2}){5}|(?:-${HEX}{2}){7}|(?:-${HEX}{2}){19})|` +
    String.raw`${HEX}{4}(?:(?:\.${HEX}{4}){2}|(?:\.${HEX}{4}){3}|(?:\.${HEX}{4}){9}))$`,
);

const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;

const isDuration: Check = (text) => parseFormatDuration(text) !== undefined;

const COLOUR = String.raw`(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])`;
const BLANKS = String.raw`[\t\n\f\r ]*`;
const RGB = new RegExp(
  String.raw`^rgb\(${BLANKS}${COLOUR}${BLANKS},${BLANKS}${COLOUR}${BLANKS},${BLANKS}${COLOUR}${BLANKS}\)$`,
);

const CHECKS: readonly (readonly [string, Check])[] = [
  ["bsonobjectid", matches(/^[\da-fA-F]{24}$/)],
  ["uri", (text) => wrongRequestUri(text) === undefined],
  ["email", isMailAddress],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", matches(MAC)],
  ["uuid", isUuid],
  ["uuid3", matches(UUID3)],
  ["uuid4", matches(UUID4)],
  ["uuid5", matches(UUID5)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ["hexcolor", matches(/^#?(?:[\da-fA-F]{3}|[\da-fA-F]{6})$/)],
  ["rgbcolor", matches(RGB)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => dnsLabel(text) === undefined],
  ["k8slongname", (text) => dnsSubdomain(text) === undefined],
];

/** Longer texts may need a worker thread; the cost of a character is in units of `work-limit.ts`. */
const LONG = 4096;
const UNITS_PER_CHARACTER = 10;

const FORMATS: ReadonlyMap<string, Check> = new Map(
  CHECKS.map(([name, check]): [string, Check] => [
    name,
    (text) => {
      if (text.length > LONG) checkWork(text.length * UNITS_PER_CHARACTER);
      return check(text);
    },
  ]),
);

/** The check of a format by its name in a schema; undefined for an unsupported one. A check throws WorkTooLong. */
export const formatOf = (name: string | undefined): Check | undefined =>
  name === undefined ? undefined : FORMATS.get(name.replaceAll("-", ""));
