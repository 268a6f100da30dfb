/**
 * The formats of texts that schemas may name: those that are judged. Others are ignored (KEP-5080 lists which there are).
 *
 * @module
 */
import { dnsLabel, dnsSubdomain } from "../../meta/names.ts";
import { canonicalTime } from "../../meta/time.ts";
import { parseFormatDuration } from "../../util/go-duration.ts";
import { mayTake } from "../../util/heavy.ts";

/** Whether a text has a format. */
type Check = (text: string) => boolean;

const matches =
  (form: RegExp): Check =>
  (text) =>
    form.test(text);

const digitsOf = (text: string): string => text.replaceAll(/[\s-]+/g, "");

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

const LABEL = String.raw`[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?`;
const HOST = new RegExp(String.raw`^(?:${LABEL}|(?:${LABEL}\.)+[a-zA-Z\p{L}]{2,63})$`, "u");

const isHostname: Check = (text) => Buffer.byteLength(text) <= 255 && HOST.test(text);

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^${OCTET}(?:\.${OCTET}){3}$`);

const isIpv4: Check = matches(IPV4);
const isIpv6: Check = (text) => /^[\da-fA-F:.]+$/.test(text) && text.includes(":") && URL.canParse(`http://[${text}]`);

function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^(.+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

const MAC_BYTES = [6, 8, 20];
const LONGEST_MAC = 59;

/** Bytes between colons or hyphens, or two at a time between dots (Go's `net.ParseMAC`). */
function isMac(text: string): boolean {
  if (text.length > LONGEST_MAC) return false;
  const separator = text[2] === ":" || text[2] === "-" ? text[2] : ".";
  const groups = text.split(separator);
  const width = separator === "." ? 4 : 2;
  const isHex = (group: string): boolean => group.length === width && /^[\da-fA-F]+$/.test(group);
  return MAC_BYTES.includes((groups.length * width) / 2) && groups.every(isHex);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;

const ATOM = String.raw`[\p{L}\p{N}!#$%&'*+/=?^_{|}~\-\x60]+`;
const EMAIL = new RegExp(
  String.raw`^(?:[^<>"@]*<)?(?:"(?:[^"\\]|\\.)+"|${ATOM}(?:\.${ATOM})*)@(?:${ATOM}(?:\.${ATOM})*|\[[^\]]+\])>?$`,
  "u",
);

const isEmail: Check = (text) => text.length <= 320 && EMAIL.test(text) && text.includes("<") === text.endsWith(">");

/** An absolute URI, or an absolute path. */
const isRequestUri: Check = (text) => text.startsWith("/") || /^[A-Za-z][A-Za-z\d+.-]*:[^\s]+$/.test(text);

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && typeof canonicalTime(`${text}T00:00:00Z`) === "string";
}

const isDuration: Check = (text) => parseFormatDuration(text) !== undefined;

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
    typeof canonicalTime(text) === "string"
  );
}

const RGB = new RegExp(String.raw`^rgb\(\s*${OCTET}\s*,\s*${OCTET}\s*,\s*${OCTET}\s*\)$`);

const FORMATS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["bsonobjectid", matches(/^[\da-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(UUID)],
  ["uuid3", matches(UUID3)],
  ["uuid4", matches(UUID4)],
  ["uuid5", matches(UUID5)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matches(/^#?(?:[\da-fA-F]{3}|[\da-fA-F]{6})$/)],
  ["rgbcolor", matches(RGB)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => dnsLabel(text) === undefined],
  ["k8slongname", (text) => dnsSubdomain(text) === undefined],
]);

/** The check of a format by its name in a schema; undefined for one that is not judged. A check throws TooHeavy. */
export function formatOf(name: string | undefined): Check | undefined {
  const check = name === undefined ? undefined : FORMATS.get(name.replaceAll("-", ""));
  return check && ((text) => holds(check, text));
}

/** Texts from here on may have to be looked at beside the event loop; what a character costs, in units of `heavy.ts`. */
const LONG = 4096;
const UNITS_PER_CHARACTER = 10;

function holds(check: Check, text: string): boolean {
  if (text.length > LONG) mayTake(text.length * UNITS_PER_CHARACTER);
  return check(text);
}
