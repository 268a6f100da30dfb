/**
 * The files of the console's page, as they are sent: with a type, an ETag, and compressed forms that are made once.
 *
 * @module
 */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** A form of a file: as it is, or compressed for clients that take that. */
export interface FileForm {
  /** The Content-Encoding; empty for the file as it is. */
  readonly encoding: "" | "br" | "gzip";
  readonly bytes: Uint8Array;
  /** With quotes. */
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

/** Types whose files are compressed already. */
const PACKED: ReadonlySet<string> = new Set(["png", "woff2"]);
/** Good, and some tens of milliseconds for the largest file. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)];
/** A file that is shorter gains nothing. */
const MIN_BYTES = 512;

const extensionOf = (name: string): string => /\.([a-z0-9]{1,16})$/.exec(name)?.[1] ?? "";

/** Whether a path names a file, by its extension; paths without one are views of the page. */
export const namesFile = (path: string): boolean => {
  const extension = extensionOf(path.slice(path.lastIndexOf("/") + 1));
  return extension !== "html" && Object.hasOwn(TYPES, extension);
};

/** One file of the page. */
export class PageFile {
  /** The Content-Type. */
  readonly type: string;
  /** Whether its name has a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
  readonly #plain: FileForm;
  readonly #isPacked: boolean;
  readonly #forms = new Map<FileForm["encoding"], Promise<FileForm>>();

  /** @param name its path below the folder of the page, `assets/index-BVl2x3Qy.js` */
  constructor(name: string, bytes: Uint8Array) {
    const extension = extensionOf(name);
    this.type = TYPES[extension] ?? "application/octet-stream";
    this.isImmutable = name.startsWith("assets/");
    this.#isPacked = PACKED.has(extension) || bytes.length < MIN_BYTES;
    this.#plain = { encoding: "", bytes, etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"` };
  }

  /** The file as it is. */
  get bytes(): Uint8Array {
    return this.#plain.bytes;
  }

  /** The form that is sent to a client with an Accept-Encoding. */
  formFor(accepted: string): FileForm | Promise<FileForm> {
    const encoding = this.#isPacked ? "" : encodingFor(accepted);
    if (encoding === "") return this.#plain;
    const made = this.#forms.get(encoding);
    if (made) return made;
    const form = this.#compress(encoding);
    this.#forms.set(encoding, form);
    return form;
  }

  async #compress(encoding: "br" | "gzip"): Promise<FileForm> {
    const { bytes, etag } = this.#plain;
    const packed = await (encoding === "br" ? brotli(bytes, BROTLI) : zip(bytes, { level: 7 }));
    return { encoding, bytes: packed, etag: `"${etag.slice(1, -1)}-${encoding}"` };
  }
}

/** The best encoding of an Accept-Encoding header; one with `q=0` is none. */
function encodingFor(accepted: string): FileForm["encoding"] {
  const named = new Set(
    accepted
      .slice(0, 1000)
      .toLowerCase()
      .split(",")
      .flatMap((clause) => {
        const [name = "", ...params] = clause.split(";").map((part) => part.trim());
        return params.some((param) => ["q=0", "q=0.0", "q=0.00", "q=0.000"].includes(param)) ? [] : [name];
      }),
  );
  if (named.has("br")) return "br";
  return named.has("gzip") ? "gzip" : "";
}

/** The whole page: its files by their path below the folder. */
export type Page = ReadonlyMap<string, PageFile>;

/** The most bytes of all files together; what is larger is no page of ours. */
const MAX_PAGE_BYTES = 32 << 20;

/** Makes the files of a page. @throws Error where they are too large */
export function pageOf(files: Iterable<readonly [name: string, bytes: Uint8Array]>): Page {
  const page = new Map<string, PageFile>();
  let bytes = 0;
  for (const [name, content] of files) {
    bytes += content.length;
    if (bytes > MAX_PAGE_BYTES)
      throw new Error(`expected the files of the console to have at most ${MAX_PAGE_BYTES} bytes`);
    page.set(name, new PageFile(name, content));
  }
  return page;
}
