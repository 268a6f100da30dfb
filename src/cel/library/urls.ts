/**
 * URLs: absolute ones, and absolute paths (CEL-20).
 *
 * @module
 */
import { Entries, Failure, Opaque, type Value, Values } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";

/** A URL, in its parts. */
export class Url extends Opaque {
  readonly typeName = "kubernetes.URL";
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;

  constructor(parts: Pick<Url, "scheme" | "host" | "path" | "query"> & { readonly fragment?: string }) {
    super();
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
    this.fragment = parts.fragment ?? "";
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && this.text === other.text;
  }

  get text(): string {
    const start = this.scheme === "" ? "" : `${this.scheme}:`;
    const authority = this.host === "" ? "" : `//${this.host}`;
    return `${start}${authority}${this.path}${marked("?", this.query)}${marked("#", this.fragment)}`;
  }
}

const marked = (mark: string, text: string): string => (text === "" ? "" : mark + text);

/** Why a text is no absolute URL and no absolute path; the URL where it is one. */
export function urlIn(text: string): Url | string {
  const fail = (why: string): string => `parse ${JSON.stringify(text)}: ${why}`;
  // oxlint-disable-next-line no-control-regex -- those are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(text)) return fail("net/url: invalid control character in URL");
  if (text === "") return fail("empty url");
  if (text === "*") return new Url({ scheme: "", host: "", path: "*", query: "" });
  const [, scheme = "", rest = text] = /^([A-Za-z][A-Za-z\d+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme === "" && text.startsWith(":")) return fail("missing protocol scheme");
  if (scheme === "" && !text.startsWith("/")) return fail("invalid URI for request");
  if (scheme !== "" && rest !== "" && !rest.startsWith("/"))
    return new Url({ scheme: scheme.toLowerCase(), host: "", path: "", query: "" });
  const [before, query = ""] = splitOnce(rest, "?");
  const [, authority = "", path = before] = /^\/\/([^/]*)(.*)$/s.exec(before) ?? [];
  const wrong = authorityFault(authority);
  if (wrong !== undefined) return fail(wrong);
  // Whether it is one is asked as if a fragment were a part of the path or the query; what it says, without it.
  const [place, inPath] = splitOnce(path, "#");
  const [asked, inQuery] = inPath === undefined ? splitOnce(query, "#") : [""];
  const fragment = inPath === undefined ? (inQuery ?? "") : inPath + marked("?", query);
  for (const part of [path, fragment]) {
    const escape = /%(?![\da-fA-F]{2}).{0,2}/s.exec(part);
    if (escape) return fail(`invalid URL escape ${JSON.stringify(escape[0])}`);
  }
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return new Url({ scheme: scheme.toLowerCase(), host, path: escaped(place), query: asked, fragment });
}

const splitOnce = (text: string, by: string): [string, string?] => {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

function authorityFault(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0) return "missing ']' in host";
    return portFault(host.slice(end + 1));
  }
  const colon = host.indexOf(":");
  if (colon >= 0) return portFault(host.slice(host.lastIndexOf(":")));
  return / /.test(host) ? 'invalid character " " in host name' : undefined;
}

const portFault = (port: string): string | undefined =>
  port === "" || /^:\d*$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;

/** A path with what may not stand there escaped; what is escaped already stays. */
const escaped = (path: string): string =>
  path.replaceAll(/[^A-Za-z\d\-._~!$&'()*+,;=:@/%]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );

const hostName = (host: string): string =>
  host.startsWith("[") ? host.slice(1, host.lastIndexOf("]")) : host.replace(/:\d*$/, "");

const port = (host: string): string => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ""))?.[1] ?? "";

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The values of each name in a query, in their order; what cannot be read is left out. */
function queryOf({ query }: Url): Value {
  const values = new Map<string, Value[]>();
  for (const part of query.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const [before, behind = ""] = splitOnce(part, "=");
    const [name, value] = [decoded(before), decoded(behind)];
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return new Entries([...values].map(([name, all]) => [name, new Values(all)] as const));
}

const url = (text: string): Value => {
  const found = urlIn(text);
  return typeof found === "string" ? new Failure(`URL parse error during conversion from string: ${found}`) : found;
};

const SIZED: Cost = walk(WALK, true);

/** Functions on URLs. */
export const URLS: readonly Overload[] = [
  fn("url(string): URL", url, SIZED),
  fn("isURL(string): bool", (text: string) => typeof urlIn(text) !== "string"),
  fn("URL.getScheme(): string", ({ scheme }: Url) => scheme, ONE),
  fn("URL.getHost(): string", ({ host }: Url) => host, ONE),
  fn("URL.getHostname(): string", ({ host }: Url) => hostName(host), ONE),
  fn("URL.getPort(): string", ({ host }: Url) => port(host), ONE),
  fn("URL.getEscapedPath(): string", ({ path }: Url) => path, ONE),
  fn("URL.getQuery(): map<string, list<string>>", queryOf, ONE),
];
