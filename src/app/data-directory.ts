/**
 * The data directory: what lies where, who may read it, and which dialect it was made for.
 *
 *     admin.kubeconfig  works with kubectl as it is (0600)
 *     admin.token       the admin's bearer token (0600)
 *     keelson.json      dialect and format of this directory
 *     server.json       the server that runs on it: pid, addresses, version
 *     pki/              certificates and keys (0600)
 *     store/            the embedded store
 *
 * @module
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../meta/dialect.ts";
import { OptionError } from "./options.ts";
import type { PkiFiles } from "./pki.ts";

/** What `server.json` says while a server runs. */
export interface RunningServerInfo {
  readonly pid: number;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly dialect: Dialect["name"];
  readonly started: string;
}

const FORMAT = 1;

/** An opened data directory. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes the directory when it is not there, and checks that it is of this dialect and of a format we know. */
  static open(path: string, dialect: Dialect): DataDirectory {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const directory = new DataDirectory(path);
    const known = directory.describe();
    if (!known) {
      directory.#writeText("keelson.json", `${JSON.stringify({ format: FORMAT, dialect: dialect.name })}\n`, 0o600);
    } else if (known.format > FORMAT) {
      throw new OptionError(
        `expected ${path} to have format ${FORMAT} or older, got ${known.format}: use a newer keelson`,
      );
    } else if (known.dialect !== dialect.name) {
      throw new OptionError(
        `expected --dialect ${known.dialect}, with which ${path} was made, got ${dialect.name}; use another --data-dir for the other dialect`,
      );
    }
    return directory;
  }

  /** Dialect and format of the directory; undefined when it is new. */
  describe(): { readonly format: number; readonly dialect: string } | undefined {
    const text = this.read("keelson.json");
    return text === undefined ? undefined : (JSON.parse(text) as { format: number; dialect: string });
  }

  /** The directory of the embedded store. */
  get store(): string {
    return join(this.path, "store");
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Certificates and keys; the admin token lies at the top, where people look for it. */
  get pki(): PkiFiles {
    const place = (name: string): string => (name === "admin.token" ? name : join("pki", name));
    return {
      read: (name) => this.read(place(name)),
      write: (name, text) => {
        mkdirSync(this.file("pki"), { recursive: true, mode: 0o700 });
        this.#writeText(place(name), text, 0o600);
      },
    };
  }

  /** The text of a file, undefined when there is none. */
  read(name: string): string | undefined {
    const file = this.file(name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  writeKubeconfig(text: string): string {
    this.#writeText("admin.kubeconfig", text, 0o600);
    return this.file("admin.kubeconfig");
  }

  /** What runs on this directory, as far as `server.json` knows. */
  running(): RunningServerInfo | undefined {
    const text = this.read("server.json");
    return text === undefined ? undefined : (JSON.parse(text) as RunningServerInfo);
  }

  writeRunning(info: RunningServerInfo): void {
    this.#writeText("server.json", `${JSON.stringify(info, undefined, 2)}\n`, 0o644);
  }

  clearRunning(): void {
    rmSync(this.file("server.json"), { force: true });
  }

  /** Writes a file in one step: a reader sees the old one or the new one. */
  #writeText(name: string, text: string, mode: number): void {
    const file = this.file(name);
    const next = `${file}.new`;
    writeFileSync(next, text, { mode });
    chmodSync(next, mode);
    renameSync(next, file);
  }
}
