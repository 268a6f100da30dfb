/**
 * Names in certificates and requests: subjects (RFC 5280 4.1.2.4) and alternative names (4.2.1.6).
 *
 * @module
 */
import { DerError, type Element, TAG, elements, oid, only } from "./der.ts";

/** The parts of a subject that name a user and groups. */
export interface Subject {
  /** The name as its bytes. */
  readonly whole: Buffer;
  /** The last common name; empty where there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The alternative names of a subject; other types of names are left out. */
export interface AltNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** Of 4 or 16 bytes. */
  readonly addresses: readonly Buffer[];
}

/** No alternative names. */
export const NO_NAMES: AltNames = { dns: [], emails: [], uris: [], addresses: [] };

const COMMON_NAME = oid("2.5.4.3");
const ORGANIZATION = oid("2.5.4.10");

/** Reads a name. @throws DerError */
export function readSubject(name: Buffer): Subject {
  const organizations: string[] = [];
  let commonName = "";
  for (const set of elements(only(name, TAG.sequence).content)) {
    for (const { content } of elements(set.content)) {
      const [type, value] = elements(content);
      if (!type || !value) throw new DerError("expected each part of a name to have a type and a value");
      if (type.whole.equals(COMMON_NAME)) commonName = textOf(value);
      if (type.whole.equals(ORGANIZATION)) organizations.push(textOf(value));
    }
  }
  return { whole: name, commonName, organizations };
}

const KINDS: Readonly<Record<number, "dns" | "emails" | "uris">> = { 0x81: "emails", 0x82: "dns", 0x86: "uris" };
const ADDRESS = 0x87;

/** Reads the value of the extension subjectAltName. @throws DerError */
export function readAltNames(value: Buffer): AltNames {
  const names: { dns: string[]; emails: string[]; uris: string[]; addresses: Buffer[] } = {
    dns: [],
    emails: [],
    uris: [],
    addresses: [],
  };
  for (const { tag, content } of elements(only(value, TAG.sequence).content)) {
    const kind = KINDS[tag];
    if (kind) names[kind].push(ascii(content));
    else if (tag === ADDRESS) names.addresses.push(addressOf(content));
  }
  return names;
}

function addressOf(bytes: Buffer): Buffer {
  if (bytes.length === 4 || bytes.length === 16) return bytes;
  throw new DerError(`expected an address of 4 or 16 bytes, found ${bytes.length}`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf({ tag, content }: Element): string {
  if (tag === TAG.utf8) return decodedUtf8(content);
  if (tag === TAG.printableString || tag === TAG.ia5String || tag === TAG.numericString) return ascii(content);
  if (tag === TAG.t61String) return content.toString("latin1");
  if (tag === TAG.bmpString && content.length % 2 === 0) return Buffer.from(content).swap16().toString("utf16le");
  throw new DerError(`expected a text in a name, found tag ${tag}`);
}

function decodedUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new DerError("expected a text in UTF-8", { cause: error });
  }
}

function ascii(bytes: Buffer): string {
  if (bytes.some((byte) => byte >= 0x80)) throw new DerError("expected ASCII characters in a name");
  return bytes.toString("latin1");
}
