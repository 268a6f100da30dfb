/**
 * URLs as Go reads and writes them: `url.ParseRequestURI`, `url.Parse` and the methods of `url.URL` (Go 1.25). Each text is read a
 * bounded number of times. Unescaped parts are bytes, one character for each, since they may be invalid UTF-8.
 *
 * @module
 */
import { parseGoAddress } from "./go-address.ts";
import { goQuoted, goQuotedBytes } from "./go-quote.ts";

/** The parts of a URL. */
export interface GoUrl {
  readonly scheme: string;
  /** With its port and the brackets of an IPv6 address; unescaped. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  /** The name and the password, escaped. */
  readonly user: string | undefined;
  /** The query without its question mark, as it was written. */
  readonly rawQuery: string;
  /** The fragment, escaped. */
  readonly fragment: string;
  /** The values of each parameter in their order. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** The whole URL. */
  readonly text: string;
}

/** A URL without its fragment. */
interface Parts {
  readonly scheme: string;
  readonly opaque: string;
  /** The name and the password, escaped. */
  readonly user: string | undefined;
  readonly host: string;
  readonly omitsHost: boolean;
  readonly path: string;
  readonly query: string;
  readonly hasEmptyQuery: boolean;
}

/** The reason why a text is no URL; thrown inside of this module. */
class Fault extends Error {}

const fault = (why: string): never => {
  throw new Fault(why);
};

/** Returns why a text is no absolute URL and no absolute path; undefined where it is one (Go's `url.ParseRequestURI`). */
export function wrongRequestUri(text: string): string | undefined {
  try {
    parsed(text, true);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return `parse ${goQuoted(text)}: ${error.message}`;
    throw error;
  }
}

/** Returns the URL of a text, or the message of Go's error (Go's `url.Parse`). */
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
    user: parts.user,
    rawQuery: parts.query,
    fragment,
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
    if (text === "" && hasColonInFirstSegment(escapedPath)) text = "./";
    text += escapedPath;
  }
  if (parts.hasEmptyQuery || parts.query !== "") text += `?${parts.query}`;
  return fragment === "" ? text : `${text}#${escapedAs(fragment, "fragment")}`;
}

const hasColonInFirstSegment = (path: string): boolean => /^[^/]*:/.test(path);

/** The characters that are not escaped in a part. */
const PLAIN = {
  host: /[A-Za-z\d\-_.~!$&'()*+,;=:[\]<>"]/,
  user: /[A-Za-z\d\-_.~$&+,;=]/,
  path: /[A-Za-z\d\-_.~$&+,/:;=@]/,
  fragment: /[A-Za-z\d\-_.~$&+,/:;=?@!()*]/,
} as const;

/** The characters that an escaped path or fragment may have: more than those that are not escaped. */
const WRITTEN = {
  path: /^[A-Za-z\d\-_.~$&+,/:;=@!'()*[\]%]*$/,
  fragment: /^[A-Za-z\d\-_.~$&+,/:;=?@!'()*[\]%]*$/,
} as const;

/** Returns a path or a fragment as it was written where that is valid, else escaped again. */
function escapedAs(text: string, part: "path" | "fragment"): string {
  if (WRITTEN[part].test(text)) return text;
  return part === "path" && text === "*" ? text : escaped(unescaped(text, part), part);
}

/** Escapes the bytes that a part must not have. */
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

/** Returns the bytes of an escaped text. */
function unescaped(text: string, part: Part): string {
  const bytes = bytesOf(text);
  const isHost = part === "host" || part === "zone";
  let out = "";
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charAt(i);
    if (byte === "%") {
      const escape = bytes.slice(i, i + 3);
      if (!/^%[\da-fA-F]{2}$/.test(escape)) invalidEscape(escape);
      const code = Number.parseInt(escape.slice(1), 16);
      const value = String.fromCharCode(code);
      // A host name may escape bytes beyond ASCII and the percent sign of a zone; a zone may escape spaces and characters of
      // host names.
      if (part === "host" && code < 0x80 && code !== 0x25) invalidEscape(escape);
      if (part === "zone" && code !== 0x25 && code !== 0x20 && !PLAIN.host.test(value)) invalidEscape(escape);
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

/** An escape may end within a character. */
function invalidEscape(escape: string): never {
  return fault(`invalid URL escape ${goQuotedBytes(escape)}`);
}

// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROLS = /[\u0000-\u001f\u007f]/;
const SCHEME = /^[A-Za-z][A-Za-z\d+.-]*:/;

/** @param asRequest whether the URL must be absolute, or an absolute path */
function parsed(text: string, asRequest: boolean): Parts {
  if (CONTROLS.test(text)) fault("net/url: invalid control character in URL");
  if (text === "" && asRequest) fault("empty url");
  const none = { scheme: "", opaque: "", user: undefined, host: "", omitsHost: false, query: "", hasEmptyQuery: false };
  if (text === "*") return { ...none, path: "*" };
  if (text.startsWith(":")) fault("missing protocol scheme");
  const written = SCHEME.exec(text)?.[0] ?? "";
  const scheme = written.slice(0, -1).toLowerCase();
  const [before, query] = splitOnce(text.slice(written.length), "?");
  const base = { ...none, scheme, query: query ?? "", hasEmptyQuery: query === "" };
  if (!before.startsWith("/")) {
    if (scheme !== "") return { ...base, opaque: before, path: "" };
    if (asRequest) fault("invalid URI for request");
    if (hasColonInFirstSegment(before)) fault("first path segment in URL cannot contain colon");
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
  const parts = splitOnce(text.slice(0, at), ":").map((part = "") => escaped(unescaped(part, "user"), "user"));
  return { user: parts.join(":"), host };
}

const isPort = (text: string): boolean => text === "" || /^:\d*$/.test(text);

function hostOf(text: string): string {
  if (text.includes("[")) return literalOf(text);
  const colon = text.lastIndexOf(":");
  if (colon >= 0) requirePort(text.slice(colon));
  return unescaped(text, "host");
}

function requirePort(text: string): void {
  if (!isPort(text)) fault(`invalid port ${goQuoted(text)} after host`);
}

/** Reads an IPv6 address in brackets, in which `%25` begins the zone. Text before it is ignored. */
function literalOf(text: string): string {
  const end = text.lastIndexOf("]");
  if (end < 0) fault("missing ']' in host");
  requirePort(text.slice(end + 1));
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

/** A query with more parameters is ignored. */
const MAX_PARAMETERS = 10_000;

/** Leaves out invalid parameters. */
function queryOf(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const parts = query.split("&", MAX_PARAMETERS + 1);
  if (parts.length > MAX_PARAMETERS) return values;
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
