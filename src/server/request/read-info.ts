/**
 * Reads what a request asks for, as authorization sees it: from its path, and the selectors of its query (RBAC-3).
 *
 * @module
 */
import { type RequestedSelector, requestedFields, requestedLabels } from "../../meta/requested-selectors.ts";
import { type RequestInfo, decodePath, requestInfo } from "../../meta/request-info.ts";
import type { Query } from "./query.ts";

/** The info of a request. Throws 400 where its path has malformed escapes; a malformed query is refused later. */
export function readInfo(method: string, rawPath: string, query: Query): RequestInfo {
  const info = requestInfo(method, decodePath(rawPath), () => query.flag("watch"));
  // The deprecated form of a watch has no selector that counts, as it has none in the reference.
  return info.isResource && !info.watchPath && SELECTING.has(info.verb) ? withSelectors(info, query) : info;
}

const SELECTING: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

function withSelectors(info: RequestInfo, query: Query): RequestInfo {
  const [fields, labels] = [query.text("fieldSelector"), query.text("labelSelector")];
  if (fields === "" && labels === "") return info;
  const fieldSelector = fields === "" ? undefined : requestedFields(fields);
  const labelSelector = labels === "" ? undefined : requestedLabels(labels);
  const name =
    info.verb === "deletecollection" || info.hasName ? info.name : nameIn(fieldSelector, labelSelector, query);
  return { ...info, name, fieldSelector, labelSelector };
}

/** The name that a field selector selects, where the whole query is well-formed; empty for none. */
function nameIn(fields: RequestedSelector | undefined, labels: RequestedSelector | undefined, query: Query): string {
  const named = fields?.requirements.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  const name = named?.values[0] ?? "";
  if (name === "" || labels?.error !== undefined) return "";
  return NUMBERS.every((option) => isInteger(query.first(option))) && isSegment(name) ? name : "";
}

const NUMBERS = ["limit", "timeoutSeconds"];

/** Whether an option is an integer of 64 bits, or was not sent. */
function isInteger(text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!/^[+-]?\d{1,30}$/.test(text)) return false;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value;
}

/** Whether a name can be a segment of a path. */
const isSegment = (name: string): boolean => name !== "." && name !== ".." && !/[/%]/.test(name);
