/**
 * The forms of names, keys and label values (DEC-2), with the messages of Kubernetes.
 *
 * Each check returns undefined when the text is valid, else what is wrong, as it stands behind `Invalid value: "x": `.
 * Lengths count characters; the alphabets are ASCII, so that is bytes as well.
 *
 * @module
 */

/** A check of one text: undefined when it is valid, else what is wrong. */
export type TextCheck = (text: string) => string | undefined;

// Groups capture, because messages have these patterns as Kubernetes writes them.
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const KEY = /^[-._a-zA-Z0-9]+$/;
const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

const MAX_LABEL_LENGTH = 63;
const MAX_SUBDOMAIN_LENGTH = 253;

const tooLong = (max: number): string => `must be no more than ${max} characters`;

/** A form by its pattern, with the message for other texts. */
function form(pattern: RegExp, max: number, message: string, ...examples: readonly string[]): TextCheck {
  const source = pattern.source.slice(1, -1);
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  const wrong = `${message} (${quoted === "" ? "" : `e.g. ${quoted}`}regex used for validation is '${source}')`;
  return (text) => (text.length > max ? tooLong(max) : pattern.test(text) ? undefined : wrong);
}

const label = form(
  LABEL,
  MAX_LABEL_LENGTH,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  "my-name",
  "123-abc",
);

/** A DNS label (RFC 1123): at most 63 lower-case letters, digits and dashes, no dash at either end. */
export const dnsLabel: TextCheck = (text) => {
  const wrong = label(text);
  if (wrong === undefined || text.length > MAX_LABEL_LENGTH || dnsSubdomain(text) !== undefined) return wrong;
  return "must not contain dots";
};

/** A DNS label (RFC 1035): as {@link dnsLabel}, but with a letter at its beginning. */
export const dns1035Label: TextCheck = form(
  LABEL_1035,
  MAX_LABEL_LENGTH,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "my-name",
  "abc-123",
);

/** A DNS subdomain (RFC 1123): at most 253 characters of DNS labels joined by dots. */
export const dnsSubdomain: TextCheck = form(
  SUBDOMAIN,
  MAX_SUBDOMAIN_LENGTH,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  "example.com",
);

const NAME_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const namePart = form(NAME_PART, MAX_LABEL_LENGTH, NAME_MESSAGE, "MyName", "my.name", "123-abc");

/** The key of a label: a name of at most 63 characters, with an optional DNS subdomain and `/` in front (DEC-2). */
export const qualifiedName: TextCheck = (text) => {
  const slash = text.indexOf("/");
  if (slash >= 0 && text.includes("/", slash + 1)) {
    return `a qualified name ${namePart("/")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  }
  const wrongPrefix = slash < 0 ? undefined : slash === 0 ? "must be non-empty" : dnsSubdomain(text.slice(0, slash));
  if (wrongPrefix) return `prefix part ${wrongPrefix}`;
  const name = text.slice(slash + 1);
  const wrong = name === "" ? "must be non-empty" : namePart(name);
  return wrong && `name part ${wrong}`;
};

/** A {@link qualifiedName} that must have its domain: `example.com/name`. */
export const prefixedName: TextCheck = (text) =>
  text.includes("/") ? qualifiedName(text) : `must be a domain-prefixed key (such as "acme.io/foo")`;

/** The value of a label: as the name part of its key, or empty (DEC-2). */
export const labelValue: TextCheck = form(
  LABEL_VALUE,
  MAX_LABEL_LENGTH,
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
  "MyValue",
  "my_value",
  "12345",
);

const key = form(
  KEY,
  MAX_SUBDOMAIN_LENGTH,
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  "key.name",
  "KEY_NAME",
  "key-name",
);

/** A key of a ConfigMap or Secret, and the name of its file in a volume (CM-11, DEC-13). */
export const configMapKey: TextCheck = (text) => {
  const wrong = key(text);
  if (wrong) return wrong;
  if (text === "." || text === "..") return `must not be '${text}'`;
  return text.startsWith("..") ? "must not start with '..'" : undefined;
};

/** A text that may be a segment of a path (DEC-2). */
export const pathSegment: TextCheck = (text) => {
  if (text === "." || text === "..") return `may not be '${text}'`;
  const wrong = ["/", "%"].find((part) => text.includes(part));
  return wrong && `may not contain '${wrong}'`;
};

const httpPath = form(PATH, Infinity, "Invalid path");

/** A domain, `/` and a path, none of them empty: `example.com/signer/name`. */
export const domainPrefixedPath: TextCheck = (text) => {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) return `must be a domain-prefixed path (such as "acme.io/foo")`;
  return dnsSubdomain(text.slice(0, slash)) ?? httpPath(text.slice(slash + 1));
};

/** The rule for names of a kind: true when a name is valid, else what is wrong. */
export type ObjectNameRule = (name: string) => true | string;

const rule =
  (check: TextCheck): ObjectNameRule =>
  (name) =>
    check(name) ?? true;

/** Names are DNS subdomains: most kinds. */
export const subdomainName: ObjectNameRule = rule(dnsSubdomain);

/** Names are DNS labels: namespaces. */
export const labelName: ObjectNameRule = rule(dnsLabel);

/** Names are DNS labels that begin with a letter: services. */
export const label1035Name: ObjectNameRule = rule(dns1035Label);

/** Names are segments of a path: roles, core events. */
export const pathSegmentName: ObjectNameRule = rule(pathSegment);

/** Names are keys of a ConfigMap: lease candidates. */
export const configMapKeyName: ObjectNameRule = rule(configMapKey);
