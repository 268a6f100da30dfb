/**
 * Schemas of kinds, read when they are needed and kept: one document of OpenAPI for each group and version.
 *
 * @module
 */
import { request } from "../api/http.ts";
import { type GroupVersionKind, type KindSchema, type OpenApiDocument, schemaOfKind } from "./schema.ts";

const documents = new Map<string, Kept<OpenApiDocument>>();
const kinds = new Map<string, Kept<KindSchema | undefined>>();
/** The most documents that are kept; the oldest goes. */
const MAX_DOCUMENTS = 16;
const MAX_KINDS = 64;

/** The schema of a kind; undefined if the server says nothing of it. A failure is not kept. */
export function loadSchema(gvk: GroupVersionKind): Promise<KindSchema | undefined> {
  const key = JSON.stringify([gvk.group, gvk.version, gvk.kind]);
  return kept(kinds, key, MAX_KINDS, async () => schemaOfKind(await loadDocument(gvk), gvk));
}

function loadDocument({ group, version }: GroupVersionKind): Promise<OpenApiDocument> {
  const path = group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  return kept(documents, path, MAX_DOCUMENTS, () => request<OpenApiDocument>(path));
}

/** A schema is asked for again after this time: a kind may have been defined anew. */
const FRESH_MS = 120_000;

interface Kept<T> {
  readonly loading: Promise<T>;
  readonly since: number;
}

function kept<T>(cache: Map<string, Kept<T>>, key: string, most: number, load: () => Promise<T>): Promise<T> {
  const found = cache.get(key);
  const now = performance.now();
  if (found && now - found.since < FRESH_MS) return found.loading;
  const loading = load();
  cache.set(key, { loading, since: now });
  loading.catch(() => cache.delete(key));
  for (const old of cache.keys()) {
    if (cache.size <= most) break;
    cache.delete(old);
  }
  return loading;
}
