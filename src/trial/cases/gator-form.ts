/**
 * Tests in the form of gator: `kind: Suite` of `test.gatekeeper.sh/v1alpha1`, where a template is a policy and a constraint is its
 * binding, or its params.
 *
 * @module
 */
import { RegexFault, regexOf } from "../../util/regex.ts";
import { type Value, isObject } from "../../value/value.ts";
import { type FileDocument, type TestFiles } from "./files.ts";
import { Members } from "./members.ts";
import { PLAIN_CREATE, type Expectation, type PolicyCase, type PolicySuite } from "./suite.ts";

/** The apiVersion and the kind of the form. */
export const GATOR_FORM = { apiVersion: "test.gatekeeper.sh/v1alpha1", kind: "Suite" } as const;

const POLICIES: readonly Value[] = ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"];

/** Reads a document of the form: one suite for each of its tests. */
export function readGatorForm(document: FileDocument, files: TestFiles): readonly PolicySuite[] {
  const members = new Members(document.value, document.from, "");
  members.value("apiVersion");
  members.value("kind");
  members.value("metadata");
  const suites = members
    .objects("tests")
    .filter((test) => !test.flag("skip"))
    .map((test) => suiteOf(test, document, files));
  members.end();
  return suites;
}

function suiteOf(members: Members, document: FileDocument, files: TestFiles): PolicySuite {
  const template = members.text("template");
  if (template === undefined) throw members.error("template", "to be the file of a policy");
  const policies = files.beside(document.file, template);
  if (!policies.some(({ value }) => isObject(value) && POLICIES.includes(value["kind"] ?? null))) {
    throw members.error("template", "to have a ValidatingAdmissionPolicy: other templates are not read");
  }
  const constraint = members.text("constraint");
  const bindings = constraint === undefined ? [] : files.beside(document.file, constraint);
  const suite = {
    name: members.text("name") ?? members.path,
    file: document.file,
    documents: [...policies, ...bindings],
    cases: members
      .objects("cases")
      .filter((one) => !one.flag("skip"))
      .map((one) => caseOf(one, document, files)),
  };
  members.end();
  return suite;
}

function caseOf(members: Members, document: FileDocument, files: TestFiles): PolicyCase {
  const file = members.text("object");
  if (file === undefined) throw members.error("object", "to be a file");
  const [object, another] = files.beside(document.file, file);
  if (!object || another) throw members.error("object", "to be a file with one object");
  const found: PolicyCase = {
    name: members.text("name") ?? members.path,
    from: members.from,
    ...PLAIN_CREATE,
    object,
    params: members.texts("inventory").flatMap((path) => files.beside(document.file, path)),
    expect: { violations: members.objects("assertions").map(assertionOf) },
  };
  members.end();
  return found;
}

function demandPattern(members: Members, message: string): void {
  try {
    regexOf(message);
  } catch (error) {
    if (!(error instanceof RegexFault)) throw error;
    throw members.error("message", `to be a regular expression: ${error.message}`);
  }
}

/** `violations: yes`, `no` or a number; of those whose message has a text. */
function assertionOf(members: Members): NonNullable<Expectation["violations"]>[number] {
  const violations = members.value("violations") ?? "yes";
  const message = members.text("message");
  members.end();
  if (message !== undefined) demandPattern(members, message);
  const text = typeof violations === "string" ? violations : JSON.stringify(violations);
  if (text === "yes" || text === "true") return { count: "some", message };
  if (text === "no" || text === "false") return { count: 0, message };
  if (/^\d{1,6}$/.test(text)) return { count: Number(text), message };
  throw members.error("violations", "to be yes, no or a number");
}
