/**
 * The page of the console: its files, and index.html for every path of a view.
 *
 * @module
 */
import type { OutHeaders, ServerRequest } from "../../server/index.ts";
import { SAFE_HEADERS, pageHeaders } from "./headers.ts";
import { type FileForm, type Page, type PageFile, namesFile, pageOf } from "./page-files.ts";

/** Where the page comes from. */
export interface PageSource {
  /** Reads the built files of the page, by their path below its folder; undefined where there is no index.html. */
  readonly read: () => Promise<readonly (readonly [name: string, bytes: Uint8Array])[] | undefined>;
  /** What to do where there is no page, for people. */
  readonly missing: string;
  /** Returns an unpredictable text, in base64url. */
  readonly secret: () => string;
}

/** The page, and the text before and after the nonce of its index.html. */
interface LoadedPage {
  readonly files: Page;
  readonly head: string;
  readonly tail: string;
}

const HTML = "text/html; charset=utf-8";

/** Responds to requests for the page. */
export interface OpenPage {
  /** @param path what stands behind `/console/` */
  respond(request: ServerRequest, path: string): Promise<void>;
  redirect(request: ServerRequest): void;
}

/** Opens the page; its files are read with the first request and kept. */
export function openPage(source: PageSource): OpenPage {
  let loading: Promise<LoadedPage | undefined> | undefined;
  const load = async (): Promise<LoadedPage | undefined> => {
    const mine = (loading ??= loadPage(source));
    const page = await mine.catch((error: unknown) => {
      if (loading === mine) loading = undefined;
      throw error;
    });
    // What is not there may be built later.
    if (!page && loading === mine) loading = undefined;
    return page;
  };
  return {
    async respond(request, path) {
      const page = await load();
      if (!page) return respondWithText(request, 404, source.missing, source.secret());
      const file = path === "index.html" ? undefined : page.files.get(path);
      if (file) return respondWithFile(request, file, await file.formFor(acceptedBy(request)));
      if (namesFile(path))
        return respondWithText(request, 404, "The console has no file of this name.", source.secret());
      respondWithIndex(request, page, source.secret());
    },
    redirect({ response }) {
      response.respond(308, { ...response.headers(""), ...SAFE_HEADERS, location: "/console/" });
    },
  };
}

const acceptedBy = ({ incoming }: ServerRequest): string => incoming.sent.header("accept-encoding");

/** Reads the page; undefined where it has no index.html. */
async function loadPage({ read }: PageSource): Promise<LoadedPage | undefined> {
  const found = await read();
  if (!found) return undefined;
  const files = pageOf(found);
  const index = files.get("index.html");
  if (!index) return undefined;
  const text = Buffer.from(index.bytes).toString();
  const at = text.indexOf("<head>");
  if (at < 0) throw new Error("expected index.html of the console to have <head>");
  const from = at + "<head>".length;
  return { files, head: text.slice(0, from), tail: text.slice(from) };
}

function respondWithFile({ response, incoming }: ServerRequest, { type, isImmutable }: PageFile, form: FileForm): void {
  const headers: OutHeaders = { ...response.headers(type), ...SAFE_HEADERS, etag: form.etag, vary: "Accept-Encoding" };
  headers["cache-control"] = isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
  if (form.encoding !== "") headers["content-encoding"] = form.encoding;
  // A picture that is opened by itself may run no script.
  headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  if (matches(incoming.sent.header("if-none-match"), form.etag)) response.respond(304, headers);
  else response.respond(200, headers, form.bytes);
}

/** Whether an If-None-Match header names an ETag (RFC 9110 13.1.2). */
const matches = (header: string, etag: string): boolean =>
  header
    .slice(0, 4000)
    .split(",")
    .some((one) => [etag, `W/${etag}`, "*"].includes(one.trim()));

/** Each response has a nonce of its own, so it has no ETag. */
function respondWithIndex({ response }: ServerRequest, { head, tail }: LoadedPage, nonce: string): void {
  const text = `${head}<meta name="csp-nonce" content="${nonce}" />${tail}`;
  const headers = { ...response.headers(HTML), ...pageHeaders(nonce), "cache-control": "no-cache" };
  response.respond(200, headers, Buffer.from(text));
}

/** Responds with a page that says one sentence. */
export function respondWithText({ response }: ServerRequest, code: number, text: string, nonce: string): void {
  const body = [
    `<!doctype html>`,
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="color-scheme" content="light dark"><title>Keelson</title></head>`,
    `<body><main><h1>Keelson</h1><p>${escaped(text)}</p></main></body></html>\n`,
  ].join("");
  const headers = { ...response.headers(HTML), ...pageHeaders(nonce), "cache-control": "no-store" };
  response.respond(code, headers, Buffer.from(body));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
