/**
 * Users behind a front proxy: the proxy has a certificate of its own and sends the user that it has authenticated in headers
 * (AUTHN-18). Without a certificate of the authority for proxies the headers are ignored.
 *
 * @module
 */
import { unescaped } from "../meta/unescaped.ts";
import type { Credentials, Identity } from "./contract.ts";
import { withAuthenticatedGroup } from "./authenticated-group.ts";

/** The headers of front proxies, and which proxies are accepted. Header names are case-insensitive; the first one sent counts. */
export interface FrontProxyRules {
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** The groups are the values of all of these. */
  readonly groupHeaders: readonly string[];
  /** Prefixes of the headers with extra attributes; the rest of the name is the key. */
  readonly extraPrefixes: readonly string[];
  /** Common names of the proxies; empty for every certificate of the authority. */
  readonly allowedNames: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const lowerCase = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

/** The user that a front proxy sends; undefined where the client is not an accepted proxy, or sends no user. */
export function frontProxy(rules: FrontProxyRules): (credentials: Credentials) => Identity | undefined {
  const [users, uids] = [lowerCase(rules.userHeaders), lowerCase(rules.uidHeaders)];
  const [groups, prefixes] = [lowerCase(rules.groupHeaders), lowerCase(rules.extraPrefixes)];
  const isProxy = ({ connection: { certificate } }: Credentials): boolean =>
    certificate !== undefined &&
    certificate.signedBy.includes("proxy") &&
    certificate.notAfter >= rules.now() &&
    (rules.allowedNames.length === 0 || rules.allowedNames.includes(certificate.commonName));
  return (credentials) => {
    if (!isProxy(credentials)) return undefined;
    const first = (names: readonly string[]): string =>
      names.map((name) => credentials.lines(name)[0]?.trim() ?? "").find((value) => value !== "") ?? "";
    const user = first(users);
    if (user === "") return undefined;
    const uid = first(uids);
    const extra = extraOf(credentials, prefixes);
    return withAuthenticatedGroup({
      user,
      ...(uid === "" ? {} : { uid }),
      groups: groups.flatMap((name) => credentials.lines(name)),
      ...(extra ? { extra } : {}),
    });
  };
}

/** Extra attributes by their key; undefined where there are none. */
function extraOf(credentials: Credentials, prefixes: readonly string[]): Identity["extra"] | undefined {
  const found = new Map<string, string[]>();
  for (const name of credentials.names()) {
    const prefix = prefixes.find((start) => name.startsWith(start));
    if (prefix === undefined) continue;
    const key = unescaped(name.slice(prefix.length));
    const values = found.get(key) ?? [];
    for (const line of credentials.lines(name)) values.push(line);
    found.set(key, values);
  }
  return found.size > 0 ? Object.fromEntries(found) : undefined;
}
