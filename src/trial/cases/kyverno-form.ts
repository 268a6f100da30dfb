/**
 * Tests in the form of the command line of Kyverno: `kind: Test` of `cli.kyverno.io/v1alpha1`, as far as they test
 * ValidatingAdmissionPolicies and MutatingAdmissionPolicies.
 *
 * @module
 */
import { type FileDocument, type TestFiles, referred } from "./files.ts";
import { Members } from "./members.ts";
import { PLAIN_CREATE, type Expectation, type PolicyCase, type PolicySuite } from "./suite.ts";

/** The apiVersion and the kind of the form. */
export const KYVERNO_FORM = { apiVersion: "cli.kyverno.io/v1alpha1", kind: "Test" } as const;

/** A policy fails whatever the actions of its binding are. */
const EXPECTED: Readonly<Record<"pass" | "fail" | "skip", Expectation>> = {
  pass: { result: "allowed", isMatched: true, violations: [{ count: 0, message: undefined }] },
  fail: { violations: [{ count: "some", message: undefined }] },
  skip: { result: "skipped" },
};

/** Reads a document of the form. */
export function readKyvernoForm(document: FileDocument, files: TestFiles): PolicySuite {
  const members = new Members(document.value, document.from, "");
  members.value("apiVersion");
  members.value("kind");
  const name = members.text("name") ?? members.object("metadata")?.text("name") ?? document.from;
  const documents = members.texts("policies").flatMap((path) => files.beside(document.file, path));
  const resources = members.texts("resources").flatMap((path) => files.beside(document.file, path));
  const cases = members.objects("results").flatMap((one) => casesOf(one, document, files, resources));
  members.end();
  return { name, file: document.file, documents, cases };
}

function casesOf(
  members: Members,
  document: FileDocument,
  files: TestFiles,
  resources: readonly FileDocument[],
): readonly PolicyCase[] {
  const policy = members.text("policy");
  if (policy === undefined) throw members.error("policy", "to be a text");
  const isPolicy = [members.flag("isValidatingAdmissionPolicy"), members.flag("isMutatingAdmissionPolicy")];
  if (!isPolicy.includes(true)) {
    throw members.error("isValidatingAdmissionPolicy", "or isMutatingAdmissionPolicy to be true: others are not read");
  }
  const kind = members.text("kind");
  const result = members.choice("result", ["pass", "fail", "skip"]);
  if (!result) throw members.error("result", "to be one of pass, fail, skip");
  const patched = members.text("patchedResources") ?? members.text("patchedResource");
  const patchedDocuments = patched === undefined ? undefined : files.beside(document.file, patched);
  const single = members.text("resource");
  const names = single === undefined ? members.texts("resources") : [single];
  members.end();
  return names.map((text) => {
    const object = resourceOf(members, resources, kind, text);
    const expected = patchedDocuments && resourceOf(members, patchedDocuments, kind, text).value;
    return caseOf(members, { policy, text, object, expect: { ...EXPECTED[result], object: expected } });
  });
}

/** A resource by `name` or `namespace/name`. */
function resourceOf(
  members: Members,
  resources: readonly FileDocument[],
  kind: string | undefined,
  text: string,
): FileDocument {
  const slash = text.indexOf("/");
  const namespace = slash < 0 ? undefined : text.slice(0, slash);
  const [found] = referred(resources, { kind, namespace, name: text.slice(slash + 1) });
  if (found) return found;
  throw members.error("resources", `to name resources of the test, there is no ${kind ?? "resource"} ${text}`);
}

interface CaseParts {
  readonly policy: string;
  readonly text: string;
  readonly object: FileDocument;
  readonly expect: Expectation;
}

const caseOf = ({ from }: Members, { policy, text, object, expect }: CaseParts): PolicyCase => ({
  name: `${policy}: ${text}`,
  from,
  ...PLAIN_CREATE,
  object,
  params: [],
  policy,
  expect,
});
