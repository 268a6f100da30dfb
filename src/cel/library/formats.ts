/**
 * Named formats of strings, and regular expressions (CEL-19, CEL-25).
 *
 * @module
 */
import { wrongRequestUri } from "../../util/go-url.ts";
import { isBase64, isDate, isDateTime, isUuid } from "../../util/text-formats.ts";
import { patternOf } from "../patterns.ts";
import { Failure, NONE, Opaque, Optional, type Value, Values } from "../values.ts";
import { ONE, matching } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { times } from "../range.ts";
import { WALK } from "./costs.ts";

type Check = (text: string) => readonly string[];

/** A named format. */
export class Format extends Opaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly check: Check;
  /** The length of an equivalent regular expression, for costs. */
  readonly length: number;

  constructor(name: string, length: number, check: Check) {
    super();
    this.name = name;
    this.length = length;
    this.check = check;
  }

  get text(): string {
    return this.name;
  }

  equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** A format of names, with its error message. */
interface NameForm {
  readonly pattern: RegExp;
  readonly words: string;
  readonly examples: readonly string[];
  readonly maxLength: number;
}

const examplesOf = ({ examples, pattern }: NameForm): string =>
  `(e.g. ${examples
    .map((example) => `'${example}',`)
    .join("  or ")
    .replace(/,$/, "")
    .replaceAll("',  or", "',  or")}, regex used for validation is '${pattern.source.slice(1, -1)}')`;

const nameFaults = (form: NameForm, text: string): string[] => [
  ...(Buffer.byteLength(text) > form.maxLength ? [`must be no more than ${form.maxLength} characters`] : []),
  ...(form.pattern.test(text) ? [] : [wordsOn(form, text)]),
];

/** A text that is a subdomain but not a label has dots. */
const wordsOn = (form: NameForm, text: string): string =>
  form === LABEL && SUBDOMAIN.pattern.test(text) ? "must not contain dots" : `${form.words} ${examplesOf(form)}`;

const LABEL: NameForm = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  words:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ["my-name", "123-abc"],
  maxLength: 63,
};
const SUBDOMAIN: NameForm = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
  maxLength: 253,
};
const LABEL_1035: NameForm = {
  pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  words:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
  maxLength: 63,
};
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PARTS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const EXAMPLES =
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function qualifiedFaults(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${PARTS} ${EXAMPLES} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0]!, parts[1]!] : [undefined, parts[0]!];
  if (prefix === "") faults.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    faults.push(...nameFaults(SUBDOMAIN, prefix).map((fault) => `prefix part ${inBytes(fault)}`));
  if (name === "") faults.push("name part must be non-empty");
  else if (Buffer.byteLength(name) > 63) faults.push("name part must be no more than 63 bytes");
  if (!QUALIFIED.test(name)) faults.push(`name part ${PARTS} ${EXAMPLES}`);
  return faults;
}

/** The messages of label keys say bytes. */
const inBytes = (fault: string): string => fault.replace(/ characters$/, " bytes");

const labelFaults = (text: string): string[] => [
  ...(Buffer.byteLength(text) > 63 ? ["must be no more than 63 bytes"] : []),
  ...(text === "" || QUALIFIED.test(text)
    ? []
    : [
        `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ]),
];

/** A prefix of a name may end with a dash. */
const unmasked = (text: string): string => (text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
const name =
  (form: NameForm): Check =>
  (text) =>
    nameFaults(form, text);
const prefix =
  (form: NameForm): Check =>
  (text) =>
    nameFaults(form, unmasked(text));
const unless =
  (holds: (text: string) => boolean, why: string): Check =>
  (text) =>
    holds(text) ? [] : [why];

const FORMATS: ReadonlyMap<string, Format> = new Map(
  [
    new Format("DNS1123Label", 30, name(LABEL)),
    new Format("DNS1123Subdomain", 60, name(SUBDOMAIN)),
    new Format("DNS1035Label", 30, name(LABEL_1035)),
    new Format("QualifiedName", 60, qualifiedFaults),
    new Format("DNS1123LabelPrefix", 30, prefix(LABEL)),
    new Format("DNS1123SubdomainPrefix", 60, prefix(SUBDOMAIN)),
    new Format("DNS1035LabelPrefix", 30, prefix(LABEL_1035)),
    new Format("LabelValue", 40, labelFaults),
    new Format("URI", 1103, (text) => {
      const wrong = wrongRequestUri(text);
      return wrong === undefined ? [] : [wrong];
    }),
    new Format("uuid", 70, unless(isUuid, "does not match the UUID format")),
    new Format("byte", 84, unless(isBase64, "invalid base64")),
    new Format("date", 70, unless(isDate, "invalid date")),
    new Format("datetime", 70, unless(isDateTime, "invalid datetime")),
  ].map((format) => [functionName(format.name), format]),
);

/** The function of a format: its name in lower camel case. */
function functionName(format: string): string {
  return format === "URI" ? "uri" : format.replace(/^[A-Z]+(?=[A-Z\d])|^[A-Z]/, (start) => start.toLowerCase());
}

const validate = (format: Format, text: string): Value => {
  const faults = format.check(text);
  return faults.length === 0 ? NONE : new Optional(new Values(faults));
};

const VALIDATE: Cost = {
  byName: true,
  estimate: (at, _target, args) => ({ cost: times(times(at.size(args[0]!), WALK), 128 * 0.25) }),
  spend: ([format, text]) =>
    Math.ceil((1 + (typeof text === "string" ? Array.from(text).length : 1)) * WALK) *
    Math.ceil((format instanceof Format ? format.length : 1) * 0.25),
};

const illegal = ({ message }: Failure): Failure => new Failure(`Illegal regex: ${message}`);

const find = (text: string, source: string): Value => {
  const pattern = patternOf(source);
  return pattern instanceof Failure ? illegal(pattern) : pattern.find(text);
};

const findAll = (text: string, source: string, limit = -1n): Value => {
  const pattern = patternOf(source);
  return pattern instanceof Failure ? illegal(pattern) : new Values(pattern.findAll(text, Number(limit)));
};

/** Functions on formats and regular expressions. */
export const FORMAT_FUNCTIONS: readonly Overload[] = [
  fn(
    "|format.named(string): optional<Format>",
    (text: string) => {
      const format = FORMATS.get(text);
      return format ? new Optional(format) : NONE;
    },
    ONE,
  ),
  ...[...FORMATS].map(([text, format]) => fn(`|format.${text}(): Format`, () => format)),
  fn("Format.validate(string): optional<list<string>>", validate, VALIDATE),
  fn("string.find(string): string", find, matching(true)),
  fn("string.findAll(string): list<string>", (text: string, source: string) => findAll(text, source), matching(true)),
  fn("string.findAll(string, int): list<string>", findAll, matching(true)),
];
