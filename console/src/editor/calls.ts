import type { WayOutPatch } from "../../../src/client/objects/resolve.ts";
import { readManifests } from "../../../src/client/objects/manifest.ts";
import type { BlameReport } from "../../../src/meta/ownership-reports.ts";
import { documentsOf } from "../api/yaml-parse.ts";
import { headsOf, locateField, parseDocuments, problemsOf } from "./documents.ts";
import { parseExact } from "./exact-json.ts";
import { intentOf } from "./intent.ts";
import type { WorkerCalls } from "./protocol.ts";
import type { KindSchema } from "./schema.ts";

/** Makes what a worker of the editor can do. */
export function workerCalls(): WorkerCalls {
  const schemas = new Map<string, KindSchema>();
  // The same text is asked about several times; these calls only read its documents.
  let last = { text: "", documents: parseDocuments("") };
  const parsed = (text: string): ReturnType<typeof parseDocuments> => {
    if (last.text !== text) last = { text, documents: parseDocuments(text) };
    return last.documents;
  };
  return {
    problems: (text) => problemsOf(parsed(text), (apiVersion, kind) => schemas.get(`${apiVersion}/${kind}`)),
    heads: (text) => headsOf(parsed(text)),
    locate(text, fields, document) {
      const documents = parsed(text);
      return fields.map((field) => locateField(documents, field, document));
    },
    intent: (text, leaves, manager, schema) =>
      intentOf(text, { leaves: parseExact(leaves) as BlameReport["leaves"], manager, schema }),
    change(text, patch, resourceVersion) {
      const [manifest] = readManifests(text, "the text");
      manifest!.change(parseExact(patch) as WayOutPatch);
      return manifest!.text(resourceVersion);
    },
    documents: (text, file) => documentsOf(text, file).map(({ value }) => JSON.stringify(value)),
    schema(apiVersion, kind, schema) {
      schemas.set(`${apiVersion}/${kind}`, schema);
    },
  };
}
