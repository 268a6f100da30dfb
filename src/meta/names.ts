/**
 * The forms that names, keys and label values may have (DEC-2).
 *
 * Each predicate returns undefined when the text is fine, else a short text that says what was expected, ready to stand
 * behind `Invalid value: "x": `. Lengths count characters; the alphabets are ASCII, so that is bytes as well.
 *
 * @module
 */

/** A check of one text: undefined when it is fine, else what was expected. */
export type TextCheck = (text: string) => string | undefined;

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const KEY = /^[-._a-zA-Z0-9]+$/;
const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

const atMost = (most: number): string => `expected at most ${most} characters`;

const ofForm = (pattern: RegExp, most: number, expected: string): TextCheck => {
  return (text) => (text.length > most ? atMost(most) : pattern.test(text) ? undefined : expected);
};

const formOfLabel = ofForm(
  LABEL,
  63,
  "expected a DNS label: lower-case letters, digits and '-', beginning and ending with a letter or digit",
);

/**
 * A DNS label (RFC 1123): at most 63 lower-case letters, digits and dashes, no dash at either end. Of what is a subdomain but no
 * label the dots are named, as `IsDNS1123Label` of Kubernetes does; it does so of no label that must begin with a letter.
 */
export const dnsLabel: TextCheck = (text) => {
  const wrong = formOfLabel(text);
  return wrong !== undefined && text.length <= 63 && SUBDOMAIN.test(text) ? "must not contain dots" : wrong;
};

/** A DNS label (RFC 1035): as {@link dnsLabel}, but beginning with a letter. */
export const dns1035Label: TextCheck = ofForm(
  LABEL_1035,
  63,
  "expected a DNS label that begins with a letter: lower-case letters, digits and '-', ending with a letter or digit",
);

/** A DNS subdomain (RFC 1123): at most 253 characters of DNS labels joined by dots. */
export const dnsSubdomain: TextCheck = ofForm(
  SUBDOMAIN,
  253,
  "expected a DNS subdomain: lower-case letters, digits, '-' and '.', each part beginning and ending with a letter or digit",
);

const namePart = ofForm(
  NAME_PART,
  63,
  "expected letters, digits, '-', '_' and '.', beginning and ending with a letter or digit",
);

/** The key of a label: a name of at most 63 characters, with an optional DNS subdomain and `/` in front (DEC-2). */
export const qualifiedName: TextCheck = (text) => {
  const slash = text.indexOf("/");
  if (slash < 0) return text === "" ? "expected a name, got none" : namePart(text);
  const prefix = text.slice(0, slash);
  const name = text.slice(slash + 1);
  if (name.includes("/")) return "expected a name with at most one '/'";
  if (prefix === "") return "expected a DNS subdomain in front of '/'";
  const wrong = dnsSubdomain(prefix);
  if (wrong) return `${wrong}, in front of '/'`;
  if (name === "") return "expected a name behind '/'";
  return namePart(name);
};

/** A {@link qualifiedName} that must have its domain: `example.com/name`. */
export const prefixedName: TextCheck = (text) =>
  text.includes("/") ? qualifiedName(text) : "expected a name with a domain in front, such as 'example.com/name'";

/** The value of a label: as the name part of its key, or empty (DEC-2). */
export const labelValue: TextCheck = (text) => (text === "" ? undefined : namePart(text));

/** A key of a ConfigMap or Secret, and what a file may be called that is made of it (CM-11, DEC-13). */
export const configMapKey: TextCheck = (text) => {
  if (text.length > 253) return atMost(253);
  if (!KEY.test(text)) return "expected letters, digits, '-', '_' and '.'";
  if (text === "." || text === "..") return "expected a key other than '.' and '..'";
  return text.startsWith("..") ? "expected a key that does not begin with '..'" : undefined;
};

/** A text that can stand alone between two slashes of a path (DEC-2). */
export const pathSegment: TextCheck = (text) => {
  if (text === "." || text === "..") return "expected a name other than '.' and '..'";
  return text.includes("/") || text.includes("%") ? "expected a name without '/' and '%'" : undefined;
};

/** A domain, `/` and a path, both there: `example.com/signer/name`. */
export const domainPrefixedPath: TextCheck = (text) => {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) return "expected a domain and a path, such as 'example.com/path'";
  const wrong = dnsSubdomain(text.slice(0, slash));
  if (wrong) return `${wrong}, in front of '/'`;
  return PATH.test(text.slice(slash + 1)) ? undefined : "expected a path of URL characters behind '/'";
};

/** How objects of a kind may be called: true when the name is fine, else what was expected. */
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

/** Names are anything that fits between two slashes of a path: roles, core events. */
export const pathSegmentName: ObjectNameRule = rule(pathSegment);

/** Names are keys of a ConfigMap: lease candidates. */
export const configMapKeyName: ObjectNameRule = rule(configMapKey);
