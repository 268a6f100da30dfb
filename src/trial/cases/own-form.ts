/**
 * Tests in the form of this project: `kind: PolicyTest` of `keelson.dev/v1`.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../../meta/ownership-reports.ts";
import type { Value } from "../../value/value.ts";
import type { SourceValue } from "../documents.ts";
import { type FileDocument, type TestFiles, referred } from "./files.ts";
import { Members } from "./members.ts";
import { DEFAULT_USER, type Expectation, type PolicyCase, type PolicySuite } from "./suite.ts";

/** The apiVersion and the kind of the form. */
export const OWN_FORM = { apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`, kind: "PolicyTest" } as const;

const OPERATIONS = ["CREATE", "UPDATE", "DELETE"] as const;
const RESULTS = ["allowed", "denied", "skipped"] as const;

/** Reads a document of the form. `others` are all documents of its folder that are no tests. */
export function readOwnForm(
  document: FileDocument,
  files: TestFiles,
  others: () => readonly FileDocument[],
): PolicySuite {
  const members = new Members(document.value, document.from, "");
  members.value("apiVersion");
  members.value("kind");
  const name = members.object("metadata")?.text("name") ?? document.from;
  const named = [...members.texts("policies"), ...members.texts("resources")];
  const documents = named.length === 0 ? others() : named.flatMap((path) => files.beside(document.file, path));
  const read = (one: Members): PolicyCase => readCase(one, document, files, documents);
  const cases = members.objects("cases").map(read);
  members.end();
  return { name, file: document.file, documents, cases };
}

function readCase(
  members: Members,
  document: FileDocument,
  files: TestFiles,
  documents: readonly FileDocument[],
): PolicyCase {
  const object = sourceOf(members, "object", document, files, documents);
  const oldObject = sourceOf(members, "oldObject", document, files, documents);
  if (!object && !oldObject) throw members.error("object", "or oldObject to be there");
  const params = members.has("params") ? sourceOf(members, "params", document, files, documents) : undefined;
  const found: PolicyCase = {
    name: members.text("name") ?? members.path,
    from: members.from,
    object,
    oldObject,
    operation: members.choice("operation", OPERATIONS) ?? operationOf(object, oldObject),
    subresource: members.text("subresource") ?? "",
    namespaceLabels: members.textMap("namespaceLabels"),
    user: userOf(members.object("user")),
    params: params ? [params] : [],
    policy: members.text("policy"),
    expect: expectationOf(members.object("expect"), members),
  };
  members.end();
  return found;
}

/** The operation of a write with these objects. */
export const operationOf = (object: unknown, oldObject: unknown): PolicyCase["operation"] =>
  object === undefined ? "DELETE" : oldObject === undefined ? "CREATE" : "UPDATE";

/** An object in the case itself, one of the documents by its name, or one of a file. */
function sourceOf(
  members: Members,
  name: string,
  document: FileDocument,
  files: TestFiles,
  documents: readonly FileDocument[],
): SourceValue | undefined {
  const value = members.value(name);
  if (value === undefined) return undefined;
  const from = `${members.path}.${name} of ${members.from}`;
  const inner = new Members(value, members.from, `${members.path}.${name}`);
  if (inner.has("apiVersion")) return { value, from };
  const file = inner.text("file");
  const [kind, namespace, wanted] = [inner.text("kind"), inner.text("namespace"), inner.text("name")];
  inner.end();
  const all = file === undefined ? documents : files.beside(document.file, file);
  const [found, another] = referred(all, { kind, namespace, name: wanted });
  if (found && !another) return found;
  throw members.error(name, found ? "to mean one object, there are several" : "to mean an object, there is none");
}

function userOf(members: Members | undefined): Identity {
  if (!members) return DEFAULT_USER;
  const uid = members.text("uid");
  const user = {
    user: members.text("name") ?? DEFAULT_USER.user,
    groups: members.has("groups") ? members.texts("groups") : DEFAULT_USER.groups,
    ...(uid === undefined ? {} : { uid }),
  };
  members.end();
  return user;
}

function expectationOf(members: Members | undefined, parent: Members): Expectation {
  if (!members) throw parent.error("expect", "to be there");
  const message = members.text("message");
  const object: Value | undefined = members.value("object");
  const expectation: Expectation = {
    result: members.choice("result", RESULTS),
    by: members.text("by"),
    messages: message === undefined ? [] : [message],
    warnings: members.has("warnings") ? members.texts("warnings") : undefined,
    auditAnnotations: members.textMap("auditAnnotations"),
    object,
  };
  members.end();
  return expectation;
}
