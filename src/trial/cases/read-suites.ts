/**
 * Finds the tests in files, whatever their form.
 *
 * @module
 */
import { posix } from "node:path";
import { isObject } from "../../value/value.ts";
import type { FileDocument, TestFiles } from "./files.ts";
import { GATOR_FORM, readGatorForm } from "./gator-form.ts";
import { KYVERNO_FORM, readKyvernoForm } from "./kyverno-form.ts";
import { TestFileError } from "./members.ts";
import { OWN_FORM, readOwnForm } from "./own-form.ts";
import type { PolicySuite } from "./suite.ts";

/** The group and the kind of each form; its version is checked when it is read. */
const FORMS = [OWN_FORM, KYVERNO_FORM, GATOR_FORM] as const;

type Form = (typeof FORMS)[number];

/** The form of a document; undefined for one that is no test. Throws {@link TestFileError} for another version. */
function formOf({ value, from, file }: FileDocument): Form | undefined {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind } = value;
  // Older tests of Kyverno are identified by the name of their file.
  if (apiVersion === undefined && /^kyverno-test\.ya?ml$/.test(posix.basename(file))) return KYVERNO_FORM;
  if (typeof apiVersion !== "string") return undefined;
  const [group = ""] = apiVersion.split("/");
  const form = FORMS.find((one) => one.kind === kind && one.apiVersion.startsWith(`${group}/`));
  if (!form || form.apiVersion === apiVersion) return form;
  throw new TestFileError(`expected the apiVersion of ${from} to be ${form.apiVersion}, got ${apiVersion}`);
}

/** Reads all tests below some paths. Throws {@link TestFileError} that names the file and the member. */
export function readSuites(paths: readonly string[], files: TestFiles): readonly PolicySuite[] {
  const documents = paths.flatMap((path) => files.at(path));
  const suites = documents.flatMap((document) => {
    const form = formOf(document);
    return form ? suitesOf(form, document, files) : [];
  });
  if (suites.length > 0) return suites;
  const forms = FORMS.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`).join(", ");
  throw new TestFileError(`expected a test in ${paths.join(", ")} (${forms}), found none`);
}

function suitesOf(form: Form, document: FileDocument, files: TestFiles): readonly PolicySuite[] {
  if (form === KYVERNO_FORM) return [readKyvernoForm(document, files)];
  if (form === GATOR_FORM) return readGatorForm(document, files);
  const others = (): readonly FileDocument[] =>
    files.at(posix.dirname(document.file)).filter((one) => formOf(one) === undefined);
  return [readOwnForm(document, files, others)];
}
