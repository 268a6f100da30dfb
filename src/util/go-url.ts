/**
 * URLs as Go reads and writes them: `url.ParseRequestURI`, `url.Parse` and the methods of `url.URL` (Go 1.25). Each text is read a
 * bounded number of times. What was escaped is kept as bytes, one character for each, since it may be no UTF-8.
 *
 * @module
 */
import { parseGoAddress } from "./go-address.ts";
import { goQuoted, goQuotedBytes } from "./go-quote.ts";

/** A URL in its parts, as texts. */
export interface GoUrl {
  readonly scheme: string;
  /** With its port and, around an IPv6 address, its brackets; nothing in it is escaped. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  /** The values of each name, in their order. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** All of it. */
  readonly text: string;
}

/** What stands between the scheme and the fragment. */
interface Parts {
  readonly scheme: string;
  readonly opaque: string;
  /** Name and password, escaped as they are written. */
  readonly user: string | undefined;
  readonly host: string;
  readonly omitsHost: boolean;
  readonly path: string;
  readonly query: string;
  readonly asks: boolean;
}

/** Why a text is no URL: thrown inside of this module. */
class Fault extends Error {}

const fault = (why: string): never => {
  throw new Fault(why);
};

/** Why a text is no absolute URL and no absolute path; undefined where it is one (Go's `url.ParseRequestURI`). */
export function wrongRequestUri(text: string): string | undefined {
  try {
    parsed(text, true);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return `parse ${goQuoted(text)}: ${error.message}`;
    throw error;
  }
}

/** The URL of a text, or why it is none (Go's `url.Parse`). */
export function parseGoUrl(text: string): GoUrl | string {
  const hash = text.indexOf("#");
  const before = hash < 0 ? text : text.slice(0, hash);
  let shown = before;
  try {
    const parts = parsed(before, false);
    shown = text;
    return urlOf(parts, hash < 0 ? "" : text.slice(hash + 1));
  } catch (error) {
    if (error instanceof Fault) return `parse ${goQuoted(shown)}: ${error.message}`;
    throw error;
  }
}

function urlOf(parts: Parts, fragment: string): GoUrl {
  unescaped(fragment, "fragment");
  const escapedPath = escapedAs(parts.path, "path");
  const { hostname, port } = splitHost(parts.host);
  return {
    scheme: parts.scheme,
    host: utf8(parts.host),
    hostname: utf8(hostname),
    port,
    escapedPath,
    get query() {
      return queryOf(parts.query);
    },
    get text() {
      return textOf(parts, escapedPath, fragment);
    },
  };
}

function textOf(parts: Parts, escapedPath: string, fragment: string): string {
  let text = parts.scheme === "" ? "" : `${parts.scheme}:`;
  if (parts.opaque !== "") text += parts.opaque;
  else {
    const hasHost = parts.host !== "" || parts.user !== undefined;
    if (hasHost || (parts.scheme !== "" && !parts.omitsHost && parts.path !== "")) text += "//";
    if (parts.user !== undefined) text += `${parts.user}@`;
    text += escaped(parts.host, "host");
    if (text === "" && escapedPath.split("/", 1)[0]!.includes(":")) text = "./";
    text += escapedPath;
  }
  if (parts.asks || parts.query !== "") text += `?${parts.query}`;
  return fragment === "" ? text : `${text}#${escapedAs(fragment, "fragment")}`;
}

/** What stands unescaped in a part, beside letters, digits and `-_.~`. */
const PLAIN = {
  host: /[A-Za-z\d\-_.~!$&'()*+,;=:[\]<>"]/,
  user: /[A-Za-z\d\-_.~$&+,;=]/,
  path: /[A-Za-z\d\-_.~$&+,/:;=@]/,
  fragment: /[A-Za-z\d\-_.~$&+,/:;=?@!()*]/,
} as const;

/** What may stand in a path or a fragment as it is written: more than what is left alone in one that is not. */
const WRITTEN = {
  path: /^[A-Za-z\d\-_.~$&+,/:;=@!'()*[\]%]*$/,
  fragment: /^[A-Za-z\d\-_.~$&+,/:;=?@!'()*[\]%]*$/,
} as const;

/** A path or a fragment: as it was written, where that may stand, else escaped anew. */
function escapedAs(text: string, part: "path" | "fragment"): string {
  if (WRITTEN[part].test(text)) return text;
  return part === "path" && text === "*" ? text : escaped(unescaped(text, part), part);
}

/** Bytes as a text with all escaped that may not stand in a part. */
function escaped(bytes: string, part: keyof typeof PLAIN): string {
  let text = "";
  for (const byte of bytes) {
    text += PLAIN[part].test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}

const utf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString();
const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");

type Part = keyof typeof PLAIN | "zone" | "query";

/** A text with its escapes read, as bytes. */
function unescaped(text: string, part: Part): string {
  const bytes = bytesOf(text);
  const isHost = part === "host" || part === "zone";
  let out = "";
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === "%") {
      const escape = bytes.slice(i, i + 3);
      if (!/^%[\da-fA-F]{2}$/.test(escape)) wrongEscape(escape);
      const code = Number.parseInt(escape.slice(1), 16);
      const value = String.fromCharCode(code);
      // In the name of a host only what is beyond ASCII is escaped, and the percent sign of a zone; in a zone what could
      // also stand as it is, and spaces.
      if (part === "host" && code < 0x80 && code !== 0x25) wrongEscape(escape);
      if (part === "zone" && code !== 0x25 && code !== 0x20 && !PLAIN.host.test(value)) wrongEscape(escape);
      out += bytes.slice(from, i) + value;
      i += 2;
      from = i + 1;
    } else if (byte === "+" && part === "query") {
      out += `${bytes.slice(from, i)} `;
      from = i + 1;
    } else if (isHost && byte < "\u0080" && !PLAIN.host.test(byte)) {
      fault(`invalid character ${goQuoted(byte)} in host name`);
    }
  }
  return from === 0 ? bytes : out + bytes.slice(from);
}

/** An escape may be cut in the midst of a character. */
function wrongEscape(escape: string): never {
  return fault(`invalid URL escape ${goQuotedBytes(escape)}`);
}

// oxlint-disable-next-line no-control-regex -- those are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f]/;
const SCHEME = /^[A-Za-z][A-Za-z\d+.-]*:/;

/** @param asRequest whether it must be absolute, or an absolute path */
function parsed(text: string, asRequest: boolean): Parts {
  if (CONTROLS.test(text)) fault("net/url: invalid control character in URL");
  if (text === "" && asRequest) fault("empty url");
  const none = { scheme: "", opaque: "", user: undefined, host: "", omitsHost: false, query: "", asks: false };
  if (text === "*") return { ...none, path: "*" };
  if (text.startsWith(":")) fault("missing protocol scheme");
  const written = SCHEME.exec(text)?.[0] ?? "";
  const scheme = written.slice(0, -1).toLowerCase();
  const [before, query] = splitOnce(text.slice(written.length), "?");
  const base = { ...none, scheme, query: query ?? "", asks: query === "" };
  if (!before.startsWith("/")) {
    if (scheme !== "") return { ...base, opaque: before, path: "" };
    if (asRequest) fault("invalid URI for request");
    if (before.split("/", 1)[0]!.includes(":")) fault("first path segment in URL cannot contain colon");
  }
  if (!before.startsWith("//") || (scheme === "" && (asRequest || before.startsWith("///")))) {
    unescaped(before, "path");
    return { ...base, omitsHost: scheme !== "" && before.startsWith("/"), path: before };
  }
  const slash = before.indexOf("/", 2);
  const path = slash < 0 ? "" : before.slice(slash);
  const authority = authorityOf(slash < 0 ? before.slice(2) : before.slice(2, slash));
  unescaped(path, "path");
  return { ...base, ...authority, path };
}

function splitOnce(text: string, by: string): [string, string?] {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const USER = /^[A-Za-z\d\-._:~!$&'()*+,;=%@]*$/;

function authorityOf(text: string): Pick<Parts, "user" | "host"> {
  const at = text.lastIndexOf("@");
  const host = hostOf(text.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  if (!USER.test(text.slice(0, at))) fault("net/url: invalid userinfo");
  const parts = splitOnce(text.slice(0, at), ":").map((part) => escaped(unescaped(part!, "user"), "user"));
  return { user: parts.join(":"), host };
}

const isPort = (text: string): boolean => text === "" || /^:\d*$/.test(text);

function hostOf(text: string): string {
  if (text.includes("[")) return literalOf(text);
  const colon = text.lastIndexOf(":");
  if (colon >= 0) demandPort(text.slice(colon));
  return unescaped(text, "host");
}

function demandPort(text: string): void {
  if (!isPort(text)) fault(`invalid port ${goQuoted(text)} after host`);
}

/** An IPv6 address in brackets; `%25` begins its zone. What stands in front of it is passed over. */
function literalOf(text: string): string {
  const end = text.lastIndexOf("]");
  if (end < 0) fault("missing ']' in host");
  demandPort(text.slice(end + 1));
  const inner = text.slice(text.lastIndexOf("[") + 1, end);
  const zone = inner.indexOf("%25");
  const host =
    zone < 0
      ? unescaped(inner, "host")
      : unescaped(inner.slice(0, zone), "host") + unescaped(inner.slice(zone), "zone");
  const address = parseGoAddress(host, goQuotedBytes);
  if (typeof address === "string") return fault(`invalid host: ${address}`);
  if (address.bytes.length === 4) fault("invalid IP-literal");
  return `[${host}]${text.slice(end + 1)}`;
}

function splitHost(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  return {
    hostname: name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : "",
  };
}

/** A query with more parts is taken for none. */
const MOST_PARTS = 10_000;

/** What cannot be read is left out. */
function queryOf(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const parts = query.split("&", MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) return values;
  for (const part of parts) {
    if (part === "" || part.includes(";")) continue;
    const [before, behind = ""] = splitOnce(part, "=");
    const [name, value] = [readable(before), readable(behind)];
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function readable(text: string): string | undefined {
  try {
    return utf8(unescaped(text, "query"));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
