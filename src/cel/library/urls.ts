/**
 * The library of URLs: absolute URLs and absolute paths (CEL-20).
 *
 * @module
 */
import { type GoUrl, parseGoUrl, wrongRequestUri } from "../../util/go-url.ts";
import { Entries, Failure, Opaque, type Value, Values } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";

/** A URL. */
export class Url extends Opaque {
  readonly typeName = "kubernetes.URL";
  readonly parts: GoUrl;

  constructor(parts: GoUrl) {
    super();
    this.parts = parts;
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && this.text === other.text;
  }

  get text(): string {
    return this.parts.text;
  }
}

/** Parses a URL. It is validated with its fragment as a part of the path or the query, and read without it. */
function url(text: string): Value {
  const found = wrongRequestUri(text) ?? parseGoUrl(text);
  return typeof found === "string"
    ? new Failure(`URL parse error during conversion from string: ${found}`)
    : new Url(found);
}

const queryOf = ({ parts }: Url): Value =>
  new Entries([...parts.query].map(([name, values]) => [name, new Values(values)] as const));

const SIZED: Cost = walk(WALK, true);

/** Functions on URLs. */
export const URL_FUNCTIONS: readonly Overload[] = [
  fn("url(string): URL", url, SIZED),
  fn("isURL(string): bool", (text: string) => wrongRequestUri(text) === undefined),
  fn("URL.getScheme(): string", ({ parts }: Url) => parts.scheme, ONE),
  fn("URL.getHost(): string", ({ parts }: Url) => parts.host, ONE),
  fn("URL.getHostname(): string", ({ parts }: Url) => parts.hostname, ONE),
  fn("URL.getPort(): string", ({ parts }: Url) => parts.port, ONE),
  fn("URL.getEscapedPath(): string", ({ parts }: Url) => parts.escapedPath, ONE),
  fn("URL.getQuery(): map<string, list<string>>", queryOf, ONE),
];
